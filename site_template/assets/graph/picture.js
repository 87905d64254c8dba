// The graph on a canvas. It is drawn on a larger sheet; while it moves, the sheet is moved under the window, and drawn
// again when the hand rests.

import { named } from "./names.js";
import { View } from "./view.js";

const TAU = 2 * Math.PI;
const STILL = 90; // ms without movement before the sheet is drawn again

export class Picture {
  view;
  #canvas;
  #window; // what is seen
  #sheet = document.createElement("canvas"); // twice as wide and high
  #pen;
  #drawn = { x: 0, y: 0, zoom: 1 }; // from where the sheet was drawn
  #rest = 0;
  #colours = {};
  #waiting = false;
  #scene = { nodes: new Set(), pairs: [], lit: null, here: null };

  constructor(canvas) {
    this.#canvas = canvas;
    this.view = new View(canvas);
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
    const [width, height] = this.view.size;
    const scale = this.view.zoom / this.#drawn.zoom;
    const x = width / 2 + (this.#drawn.x - this.view.x) * this.view.zoom;
    const y = height / 2 + (this.#drawn.y - this.view.y) * this.view.zoom;
    this.#window.clearRect(0, 0, width, height);
    this.#window.drawImage(this.#sheet, x - width * scale, y - height * scale, 2 * width * scale, 2 * height * scale);
  }

  fit(nodes = this.#scene.nodes) {
    if (!nodes.size) return;
    this.view.fit([...nodes]);
    this.draw();
  }

  reveal(node, always = false) {
    this.view.reveal(node, always);
    this.draw();
  }

  zoomBy(factor, at = this.view.size.map((side) => side / 2)) {
    this.view.zoomBy(factor, at);
    this.#glide();
  }

  moveBy(dx, dy) {
    this.view.moveBy(dx, dy);
    this.#glide();
  }

  // The node under a point, or the nearest within a finger's width.
  at([x, y]) {
    let best = null;
    let least = 14;
    for (const node of this.#scene.nodes) {
      const [nx, ny] = this.view.place(node);
      const distance = Math.hypot(nx - x, ny - y) - this.#radius(node);
      if (distance < least) [best, least] = [node, distance];
    }
    return best;
  }

  #radius(node) {
    return node.size * Math.min(1.6, Math.max(0.45, Math.sqrt(this.view.zoom)));
  }

  #resize() {
    const [width, height] = this.view.size;
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
    const [width, height] = this.view.size;
    pen.clearRect(-width / 2, -height / 2, 2 * width, 2 * height);
    this.#drawn = { x: this.view.x, y: this.view.y, zoom: this.view.zoom };
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
      pen.moveTo(...this.view.place(a));
      pen.lineTo(...this.view.place(b));
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  #dot(node, colour, alpha) {
    const pen = this.#pen;
    const [x, y] = this.view.place(node);
    pen.globalAlpha = alpha;
    pen.beginPath();
    pen.arc(x, y, this.#radius(node), 0, TAU);
    const hollow = node.kind === "entity" || node.kind === "concept";
    pen.fillStyle = hollow ? this.#colours.paper : colour;
    pen.fill();
    if (hollow) ((pen.strokeStyle = colour), (pen.lineWidth = 1.5), pen.stroke());
    pen.globalAlpha = 1;
  }

  // Names of the most important nodes in sight.
  #names(nodes, near, chosen) {
    const pen = this.#pen;
    pen.font = `13px ${this.#colours.font}`;
    pen.textBaseline = "middle";
    const candidates = near ? [chosen, ...[...nodes].filter((node) => near.has(node) && node !== chosen)] : [chosen, ...nodes].filter(Boolean);
    const spot = (node) => [...this.view.place(node), this.#radius(node)];
    for (const { node, title, x, y } of named(candidates, { size: this.view.size, spot, measure: (text) => pen.measureText(text).width })) {
      pen.lineWidth = 3;
      pen.strokeStyle = this.#colours.paper;
      pen.strokeText(title, x, y);
      pen.fillStyle = node === chosen ? this.#colours.clay : this.#colours.ink;
      pen.fillText(title, x, y);
    }
  }
}
