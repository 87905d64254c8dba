// Registration on other people's pages. The build makes one file of this and everything it needs, ask.js, and ends it with
// a call that says where the function is. With ask.js?float no element is needed: one is added, below the body's fate, so
// that it outlives frameworks that put a new body in. Other parameters are attributes: ask.js?float&lang=zh&theme=dark.

import { GeosminAsk } from "./element.js";

const ATTRIBUTES = ["lang", "theme", "scope", "placeholder", "starters", "endpoint", "root"];

// `script` is the address of ask.js: the site's root is its folder.
export function embed(script, endpoint) {
  if (customElements.get("geosmin-ask")) return;
  const { href } = new URL(".", script);
  Object.assign(GeosminAsk.home, { root: href, endpoint: endpoint || href });
  customElements.define("geosmin-ask", GeosminAsk);
  const given = new URL(script).searchParams;
  if (!given.has("float") || document.querySelector("geosmin-ask:not([inline])")) return;
  const node = document.createElement("geosmin-ask");
  for (const name of ATTRIBUTES) if (given.has(name)) node.setAttribute(name, given.get(name));
  document.documentElement.append(node);
}
