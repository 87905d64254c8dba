// The graph as data: nodes, who is linked with whom, and which are shown.

export async function load(address) {
  const { tags, nodes: rows, edges } = await (await fetch(address, { credentials: "omit" })).json();
  const root = new URL("..", new URL(address, document.baseURI)); // the data lies in assets/
  const nodes = rows.map(([title, url, kind, x, y, group, degree, own], id) => ({ id, title, url, href: new URL(url || "./", root).href, kind, x, y, group, degree, tags: own, near: [], size: Math.min(14, 2.2 + Math.sqrt(degree) * 1.1) }));
  const pairs = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [a, b] = [nodes[edges[at]], nodes[edges[at + 1]]];
    pairs.push([a, b]);
    a.near.push(b);
    b.near.push(a);
  }
  return { tags, nodes, pairs };
}

// Returns the set of nodes that a choice of kind, tag and centre shows.
export function shown({ nodes }, { kind, tag, centre }) {
  const around = centre && new Set([centre, ...centre.near]);
  const wanted = (node) => (!kind || node.kind === kind) && (tag === "" || node.tags.includes(Number(tag)));
  return new Set(nodes.filter((node) => node === centre || ((!around || around.has(node)) && wanted(node))));
}

const fold = (text) => text.normalize("NFKC").toLowerCase();

// Returns the nodes whose title holds what was typed, those that begin with it first, then by their links.
export function matching(nodes, typed) {
  const wanted = fold(typed).trim();
  if (!wanted) return [];
  const begins = (node) => fold(node.title).startsWith(wanted);
  return [...nodes].filter((node) => fold(node.title).includes(wanted)).sort((a, b) => begins(b) - begins(a) || b.degree - a.degree);
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Returns the nearest node in the direction of an arrow key; sideways distance counts double.
export function step(nodes, from, key) {
  const [wx, wy] = WAYS[key];
  let best = null;
  let least = Infinity;
  for (const node of nodes) {
    const [dx, dy] = [node.x - from.x, node.y - from.y];
    const ahead = dx * wx + dy * wy;
    const aside = Math.abs(dx * wy - dy * wx);
    if (node === from || ahead <= 0 || aside > 2 * ahead) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [node, cost];
  }
  return best;
}
