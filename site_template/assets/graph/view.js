// From where a graph is looked at: the point in the middle of the window, in the graph's own units, and pixels per unit.

const MARGIN = 48; // px around everything
const [LEAST, MOST] = [0.02, 6]; // zoom

export class View {
  #window; // an element: what is seen
  x = 0;
  y = 0;
  zoom = 1;

  constructor(element) {
    this.#window = element;
  }

  get size() {
    return [this.#window.clientWidth, this.#window.clientHeight];
  }

  // The point of the graph that lies under a point of the window.
  world([x, y]) {
    const [width, height] = this.size;
    return [(x - width / 2) / this.zoom + this.x, (y - height / 2) / this.zoom + this.y];
  }

  // Where in the window a point of the graph lies.
  place({ x, y }) {
    const [width, height] = this.size;
    return [(x - this.x) * this.zoom + width / 2, (y - this.y) * this.zoom + height / 2];
  }

  // Looks at all nodes at once.
  fit(list) {
    const [xs, ys] = [list.map((node) => node.x), list.map((node) => node.y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const [width, height] = this.size;
    const zoom = Math.min((width - 2 * MARGIN) / (right - left || 1), (height - 2 * MARGIN) / (bottom - top || 1), 2);
    Object.assign(this, { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(zoom, LEAST) });
  }

  // Brings a node to the middle unless it is well in sight.
  reveal(node, always) {
    const [x, y] = this.place(node);
    const [width, height] = this.size;
    const seen = x > MARGIN && y > MARGIN && x < width - MARGIN && y < height - MARGIN;
    if (!seen || always) Object.assign(this, { x: node.x, y: node.y, zoom: Math.max(this.zoom, 0.6) });
  }

  // Comes nearer or goes away; what lies under `at` stays there.
  zoomBy(factor, at) {
    const zoom = Math.min(MOST, Math.max(LEAST, this.zoom * factor));
    const [wx, wy] = this.world(at);
    const scale = this.zoom / zoom;
    Object.assign(this, { x: wx + (this.x - wx) * scale, y: wy + (this.y - wy) * scale, zoom });
  }

  moveBy(dx, dy) {
    this.x -= dx / this.zoom;
    this.y -= dy / this.zoom;
  }
}
