// The graph page: pointer, keyboard, search and filters, and the address that leads back to what is looked at.

import { load, matching, shown, step } from "./model.js";
import { Picture } from "./picture.js";

const place = document.getElementById("g-graph");
const canvas = place.querySelector("canvas");
const form = place.querySelector("form");
const status = place.querySelector("[role=status]");
const data = await load(new URL(place.dataset.src, document.baseURI));
const picture = new Picture(canvas);
const state = { kind: "", tag: "", centre: null, here: null };
let nodes = new Set(data.nodes);

function refresh() {
  nodes = shown(data, state);
  picture.show({ nodes, pairs: data.pairs, here: state.here, lit: null });
}

// Marks a node as the one that is talked about, in the picture, in words and in the address.
function choose(node, { centre = false } = {}) {
  state.here = node;
  form.near.hidden = !node;
  status.replaceChildren();
  if (!node) return refresh();
  const link = Object.assign(document.createElement("a"), { href: node.href, textContent: node.title });
  status.append(link, ` · ${node.degree}`);
  history.replaceState(null, "", `#${node.url}`);
  refresh();
  picture.reveal(node, centre);
}

function around(on) {
  state.centre = on ? state.here : null;
  form.near.textContent = on ? place.dataset.whole : place.dataset.near;
  form.near.setAttribute("aria-pressed", String(on));
  refresh();
  picture.fit(nodes);
}

const point = (event) => [event.offsetX, event.offsetY];
const held = new Map(); // pointers on the canvas
let moved = false;

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  held.set(event.pointerId, point(event));
  moved = false;
});
canvas.addEventListener("pointermove", (event) => {
  const before = held.get(event.pointerId);
  if (!before) return picture.show({ lit: picture.at(point(event)) });
  const now = point(event);
  if (Math.hypot(now[0] - before[0], now[1] - before[1]) < 3 && !moved) return;
  moved = true;
  if (held.size === 2) pinch(event.pointerId, before, now);
  else picture.moveBy(now[0] - before[0], now[1] - before[1]);
  held.set(event.pointerId, now);
});

function pinch(id, before, now) {
  const other = [...held].find(([key]) => key !== id)[1];
  const far = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
  picture.zoomBy(far(now) / (far(before) || 1), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
}

for (const end of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(end, (event) => {
    held.delete(event.pointerId);
    if (!moved && end === "pointerup") choose(picture.at(point(event)));
  });
}
canvas.addEventListener("pointerleave", () => picture.show({ lit: null }));
canvas.addEventListener("dblclick", (event) => {
  const node = picture.at(point(event));
  if (node) location.assign(node.href);
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  picture.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), point(event));
}, { passive: false });

const KEYS = {
  "+": () => picture.zoomBy(1.3),
  "=": () => picture.zoomBy(1.3),
  "-": () => picture.zoomBy(1 / 1.3),
  "0": () => picture.fit(nodes),
  Home: () => choose([...nodes][0]),
  Enter: () => state.here && location.assign(state.here.href),
  Escape: () => (state.centre ? around(false) : choose(null)),
};

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = event.key.startsWith("Arrow");
  if (!arrow && !KEYS[event.key]) return;
  event.preventDefault();
  if (!arrow) return KEYS[event.key]();
  const next = state.here ? step(nodes, state.here, event.key) : [...nodes][0];
  if (next) choose(next);
});

form.find.addEventListener("input", () => {
  const found = matching(nodes, form.find.value);
  const options = found.slice(0, 12).map((node) => Object.assign(document.createElement("option"), { value: node.title }));
  document.getElementById("g-graph-names").replaceChildren(...options);
  picture.show({ lit: found[0] ?? null });
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const [found] = matching(nodes, form.find.value);
  if (found) choose(found, { centre: true });
});
form.addEventListener("change", (event) => {
  if (event.target === form.find) return;
  Object.assign(state, { kind: form.kind?.value ?? "", tag: form.tag?.value ?? "" });
  refresh();
  picture.fit(nodes);
});
form.near.addEventListener("click", () => around(!state.centre));
form.in.addEventListener("click", () => picture.zoomBy(1.4));
form.out.addEventListener("click", () => picture.zoomBy(1 / 1.4));
form.fit.addEventListener("click", () => picture.fit(nodes));

// graph/?around=guide/start/ opens around that page, and so does graph/#guide/start/.
function follow() {
  const asked = new URLSearchParams(location.search).get("around");
  const wanted = decodeURIComponent(location.hash.slice(1)) || asked;
  const node = wanted && data.nodes.find((one) => decodeURIComponent(one.url) === wanted);
  if (node) (choose(node), around(true));
}

refresh();
picture.fit(nodes);
follow();
addEventListener("hashchange", follow);
place.dataset.ready = "";
