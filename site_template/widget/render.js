// DOM from values. Text only ever becomes text nodes: no innerHTML, no image, nothing that loads.

// Makes an element: make("a", { href }, child, …). Properties starting with "on" are listeners, null children are skipped.
export function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)、])\s+/;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

// `inline code` and **bold** become elements; everything else is text, links included.
function inline(text) {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part) => {
    if (/^`.+`$/.test(part)) return make("code", {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return make("strong", {}, part.slice(2, -2));
    return part;
  });
}

// The answer as paragraphs, lists and code; `marks` are where citations stand, `cite` makes the chip of one.
export function prose(text, marks = [], cite = null) {
  const blocks = [];
  let offset = 0;
  let list = null;
  let code = null;
  for (const line of text.split("\n")) {
    const end = offset + line.length;
    const here = marks.filter(({ at }) => at > offset && at <= end);
    if (FENCE.test(line)) {
      list = null;
      code = code ? null : make("code");
      if (code) blocks.push(make("pre", { tabindex: 0 }, code));
    } else if (code) {
      code.append(`${line}\n`);
    } else {
      const start = LIST_ITEM.exec(line)?.[0].length ?? 0;
      const children = pieces(line, { start, offset, here, cite });
      if (!start) list = null;
      else if (!list) blocks.push((list = make(/^\s*\d/.test(line) ? "ol" : "ul")));
      if (start) list.append(make("li", {}, ...children));
      else if (line.trim()) blocks.push(make("p", {}, ...children));
    }
    if (here.length && (code || FENCE.test(line))) blocks.push(make("p", {}, ...here.flatMap(({ cites }) => cites.map(cite)))); // code holds no chips
    offset = end + 1;
  }
  return blocks;
}

function pieces(line, { start, offset, here, cite }) {
  const children = [];
  let from = start;
  for (const { at, cites } of here) {
    children.push(...inline(line.slice(from, at - offset)), ...cites.flatMap((one) => ["\u2060", cite(one)])); // a word joiner: no line begins with a number
    from = at - offset;
  }
  return [...children, ...inline(line.slice(from))];
}

export const button = (text, onclick, more = {}) => make("button", { type: "button", onclick, ...more }, text);

export function questions(list, title, onask) {
  const rows = list.map((text) => make("li", {}, button(text, () => onask(text), { class: "plain" })));
  return make("section", { class: "starters" }, make("p", { class: "label" }, title), make("ul", {}, ...rows));
}
