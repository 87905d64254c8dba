// Where the names of a graph stand: beside their dots, within the window, none over another.

const NAMES = 60; // at once
const LONGEST = 32; // characters
const GAP = 4; // px between a dot and its name
const HEIGHT = 16; // px

// Returns [{ node, title, x, y }] for the first candidates that have room. `spot(node)` is [x, y, radius] in pixels and
// `measure(title)` a width; a name that would be cut off at the right edge stands at the left of its dot.
export function named(candidates, { size: [width, height], spot, measure }) {
  const taken = [];
  for (const node of candidates) {
    if (taken.length >= NAMES) break;
    const [x, y, radius] = spot(node);
    if (x < 0 || y < 0 || x > width || y > height) continue;
    const title = node.title.length > LONGEST ? `${node.title.slice(0, LONGEST - 1)}…` : node.title;
    const box = { node, title, x: x + radius + GAP, y, w: measure(title) + GAP };
    const left = x - radius - box.w;
    if (box.x + box.w > width && left > 0) box.x = left;
    if (!taken.some((other) => overlap(box, other))) taken.push(box);
  }
  return taken;
}

function overlap(a, b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && Math.abs(a.y - b.y) < HEIGHT;
}
