// The graph on a canvas: where it is looked at from, and how it is drawn. It is drawn on a larger sheet; while it moves,
// the sheet is moved under the window, and drawn again when the hand rests.

const TAU = 2 * Math.PI;
const NAMES = 60; // labels at once
const MARGIN = 48; // px around everything
const STILL = 90; // ms without movement before the sheet is drawn again

export class Picture {
  #canvas;
  #window; // what is seen
  #sheet = document.createElement("canvas"); // twice as wide and high
  #pen;
  #drawn = { x: 0, y: 0, zoom: 1 }; // from where the sheet was drawn
  #rest = 0;
  #colours = {};
  #waiting = false;
  #scene = { nodes: new Set(), pairs: [], lit: null, here: null };
  view = { x: 0, y: 0, zoom: 1 };

  constructor(canvas) {
    this.#canvas = canvas;
    this.#window = canvas.getContext("2d");
    this.#pen = this.#sheet.getContext("2d");
    new ResizeObserver(() => this.#resize()).observe(canvas);
    new MutationObserver(() => this.#recolour()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour());
    this.#recolour();
  }

  show(scene) {
    this.#scene = { ...this.#scene, ...scene };
    this.draw();
  }

  draw() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => ((this.#waiting = false), this.#paint()));
  }

  // Shows the sheet as it lies after a movement.
  #glide() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.draw(), STILL);
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => ((this.#waiting = false), this.#slide()));
  }

  #slide() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = this.view.zoom / this.#drawn.zoom;
    const x = width / 2 + (this.#drawn.x - this.view.x) * this.view.zoom;
    const y = height / 2 + (this.#drawn.y - this.view.y) * this.view.zoom;
    this.#window.clearRect(0, 0, width, height);
    this.#window.drawImage(this.#sheet, x - width * scale, y - height * scale, 2 * width * scale, 2 * height * scale);
  }

  // Looks at all nodes at once.
  fit(nodes = this.#scene.nodes) {
    const list = [...nodes];
    if (!list.length) return;
    const [xs, ys] = [list.map((node) => node.x), list.map((node) => node.y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const zoom = Math.min((width - 2 * MARGIN) / (right - left || 1), (height - 2 * MARGIN) / (bottom - top || 1), 2);
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(zoom, 0.02) };
    this.draw();
  }

  // Brings a node to the middle unless it is well in sight.
  reveal(node, always = false) {
    const [x, y] = this.place(node);
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const seen = x > MARGIN && y > MARGIN && x < width - MARGIN && y < height - MARGIN;
    if (!seen || always) Object.assign(this.view, { x: node.x, y: node.y, zoom: Math.max(this.view.zoom, 0.6) });
    this.draw();
  }

  zoomBy(factor, at = [this.#canvas.clientWidth / 2, this.#canvas.clientHeight / 2]) {
    const { view } = this;
    const zoom = Math.min(6, Math.max(0.02, view.zoom * factor));
    const [wx, wy] = this.world(at);
    const scale = view.zoom / zoom;
    this.view = { x: wx + (view.x - wx) * scale, y: wy + (view.y - wy) * scale, zoom };
    this.#glide();
  }

  moveBy(dx, dy) {
    this.view.x -= dx / this.view.zoom;
    this.view.y -= dy / this.view.zoom;
    this.#glide();
  }

  world([x, y]) {
    const { view } = this;
    return [(x - this.#canvas.clientWidth / 2) / view.zoom + view.x, (y - this.#canvas.clientHeight / 2) / view.zoom + view.y];
  }

  place({ x, y }) {
    const { view } = this;
    return [(x - view.x) * view.zoom + this.#canvas.clientWidth / 2, (y - view.y) * view.zoom + this.#canvas.clientHeight / 2];
  }

  // The node under a point, or the nearest within a finger's width.
  at([x, y]) {
    let best = null;
    let least = 14;
    for (const node of this.#scene.nodes) {
      const [nx, ny] = this.place(node);
      const distance = Math.hypot(nx - x, ny - y) - this.#radius(node);
      if (distance < least) [best, least] = [node, distance];
    }
    return best;
  }

  #radius(node) {
    return node.size * Math.min(1.6, Math.max(0.45, Math.sqrt(this.view.zoom)));
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const sharp = devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: width * sharp, height: height * sharp });
    Object.assign(this.#sheet, { width: 2 * width * sharp, height: 2 * height * sharp });
    this.#window.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.#pen.setTransform(sharp, 0, 0, sharp, (width / 2) * sharp, (height / 2) * sharp);
    this.#paint();
  }

  #recolour() {
    for (const node of this.#canvas.children) this.#colours[node.className.slice("g-dot-".length)] = getComputedStyle(node).color;
    this.#colours.font = getComputedStyle(this.#canvas).fontFamily;
    this.draw();
  }

  #paint() {
    const { nodes, pairs, lit, here } = this.#scene;
    const pen = this.#pen;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    pen.clearRect(-width / 2, -height / 2, 2 * width, 2 * height);
    this.#drawn = { ...this.view };
    const near = lit && new Set([lit, ...lit.near]);
    this.#lines(pairs.filter(([a, b]) => nodes.has(a) && nodes.has(b)), this.#colours.line, near ? 0.5 : 1);
    if (lit) this.#lines(lit.near.filter((node) => nodes.has(node)).map((node) => [lit, node]), this.#colours.moss, 1);
    for (const node of nodes) this.#dot(node, this.#colour(node, near, lit, here), near && !near.has(node) ? 0.35 : 1);
    this.#names(nodes, near, lit ?? here);
    this.#slide();
  }

  #colour(node, near, lit, here) {
    if (node === lit || node === here) return this.#colours.clay;
    return near?.has(node) || here?.near.includes(node) ? this.#colours.moss : this.#colours["ink-soft"];
  }

  #lines(pairs, colour, alpha) {
    const pen = this.#pen;
    pen.globalAlpha = alpha;
    pen.strokeStyle = colour;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const [a, b] of pairs) {
      pen.moveTo(...this.place(a));
      pen.lineTo(...this.place(b));
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  #dot(node, colour, alpha) {
    const pen = this.#pen;
    const [x, y] = this.place(node);
    pen.globalAlpha = alpha;
    pen.beginPath();
    pen.arc(x, y, this.#radius(node), 0, TAU);
    const hollow = node.kind === "entity" || node.kind === "concept";
    pen.fillStyle = hollow ? this.#colours.paper : colour;
    pen.fill();
    if (hollow) ((pen.strokeStyle = colour), (pen.lineWidth = 1.5), pen.stroke());
    pen.globalAlpha = 1;
  }

  // Names of the most important nodes in sight, none over another.
  #names(nodes, near, chosen) {
    const pen = this.#pen;
    const taken = [];
    pen.font = `13px ${this.#colours.font}`;
    pen.textBaseline = "middle";
    const candidates = near ? [chosen, ...[...nodes].filter((node) => near.has(node) && node !== chosen)] : [chosen, ...nodes].filter(Boolean);
    for (const node of candidates) {
      if (taken.length >= NAMES) return;
      const [x, y] = this.place(node);
      if (x < -200 || y < 0 || x > this.#canvas.clientWidth || y > this.#canvas.clientHeight) continue;
      const title = node.title.length > 32 ? `${node.title.slice(0, 31)}…` : node.title;
      const box = { x: x + this.#radius(node) + 4, y: y - 8, w: pen.measureText(title).width + 4, h: 16 };
      if (taken.some((other) => box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h && other.y < box.y + box.h)) continue;
      taken.push(box);
      pen.lineWidth = 3;
      pen.strokeStyle = this.#colours.paper;
      pen.strokeText(title, box.x, y);
      pen.fillStyle = node === chosen ? this.#colours.clay : this.#colours.ink;
      pen.fillText(title, box.x, y);
    }
  }
}
