// The filters of a search: how words are matched, and which kind, tag and language.

import { make } from "./render.js";

const lists = new Map(); // root -> promise of what there is to choose

function load(root) {
  if (!lists.has(root.href)) lists.set(root.href, fetch(new URL("assets/filters.json", root), { credentials: "omit" }).then((reply) => reply.json()).catch(() => ({})));
  return lists.get(root.href);
}

// Returns a row of selects; `changed` is called with the whole choice.
export function chooser({ root, t, choice, changed }) {
  const modes = Object.entries(t.modes);
  const row = make("div", { class: "choices" }, select("mode", t.mode, modes));
  row.addEventListener("change", () => changed(Object.fromEntries([...row.querySelectorAll("select")].map((one) => [one.name, one.value]))));
  const fill = async () => {
    const { kinds = [], tags = [], langs = [] } = await load(root);
    const named = kinds.map((kind) => [kind, t.kinds[kind] ?? kind]);
    const more = [["kind", t.kind, [["", t.anyKind], ...named]], ["tag", t.tag, [["", t.anyTag], ...tags.map((tag) => [tag, tag])]], ["lang", t.lang, [["", t.anyLang], ...langs]]];
    row.append(...more.filter(([, , options]) => options.length > 2).map(([name, label, options]) => select(name, label, options)));
    for (const one of row.querySelectorAll("select")) one.value = choice[one.name] ?? one.value;
  };
  return { row, ready: fill() };
}

function select(name, label, options) {
  return make("select", { name, "aria-label": label }, ...options.map(([value, text]) => make("option", { value }, text)));
}
