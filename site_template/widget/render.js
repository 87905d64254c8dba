// DOM from values. Text only ever becomes text nodes: no innerHTML, no image, nothing that loads.

import { address, place, readable } from "./cite.js";
import { degraded } from "./reducer.js";

// Makes an element: make("a", { href }, child, …). Properties starting with "on" are listeners, null children are skipped.
export function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)、])\s+/;

// `inline code` and **bold** become elements; everything else is text, links included.
function words(text) {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part) => {
    if (/^`.+`$/.test(part)) return make("code", {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return make("strong", {}, part.slice(2, -2));
    return part;
  });
}

// The answer as paragraphs and lists; `marks` are the citation numbers, `cite` makes the link of one.
export function prose(text, marks = [], cite = null) {
  const blocks = [];
  let offset = 0;
  let list = null;
  for (const line of text.split("\n")) {
    const end = offset + line.length;
    const start = LIST_ITEM.exec(line)?.[0].length ?? 0;
    const children = pieces(line, { start, offset, end, marks, cite });
    if (start) {
      if (!list) blocks.push((list = make(/^\s*\d/.test(line) ? "ol" : "ul")));
      list.append(make("li", {}, ...children));
    } else {
      list = null;
      if (line.trim()) blocks.push(make("p", {}, ...children));
    }
    offset = end + 1;
  }
  return blocks;
}

function pieces(line, { start, offset, end, marks, cite }) {
  const children = [];
  let from = start;
  for (const { at, cites } of marks.filter((mark) => mark.at > offset && mark.at <= end)) {
    children.push(...words(line.slice(from, at - offset)), ...cites.flatMap((one) => ["\u2060", cite(one)])); // a word joiner: no line begins with a number
    from = at - offset;
  }
  return [...children, ...words(line.slice(from))];
}

const section = (item) => (item.section?.length ? `${item.title} › ${item.section.filter((s) => s !== item.title).join(" › ")}`.replace(/ › $/, "") : item.title);

// One question and what came of it.
export function turn(item, { t, base, index, onask }) {
  const parts = [make("h3", { class: "question" }, item.question)];
  if (item.steps.length) parts.push(steps(item, t));
  else if (item.phase === "working") parts.push(make("p", { class: "quiet" }, t.working));
  if (item.answer) parts.push(...answer(item.answer, { t, base, onask }));
  else if (item.text) parts.push(make("div", { class: "answer" }, ...prose(item.text)));
  if (item.phase === "stopped") parts.push(make("p", { class: "quiet" }, t.stopped));
  if (item.error) parts.push(make("p", { class: "problem" }, t[item.error.key] ?? t.broken));
  if (item.error || item.phase === "stopped") {
    parts.push(make("button", { type: "button", class: "plain", onclick: () => onask(item.question) }, t.again));
    if (item.error && index) parts.push(" · ", make("a", { href: index }, t.index));
  }
  return make("article", { class: "turn" }, ...parts);
}

// While it works: one grey line a step. Afterwards they fold into "3 steps".
function steps(item, t) {
  const lines = make("ul", { class: "steps" }, ...item.steps.map((text) => make("li", {}, text)));
  if (item.phase === "working" && !item.text) return lines;
  return make("details", { class: "quiet" }, make("summary", {}, t.steps(item.steps.length)), lines);
}

function answer(value, { t, base, onask }) {
  const { marks, cited } = place(value);
  const cite = ({ number, quote }) => {
    const source = cited[number - 1];
    const href = address(source.url, quote, base);
    return make("a", { class: "cite", href, "aria-label": t.citation(number, section(source)) }, String(number));
  };
  const parts = [make("div", { class: "answer" }, ...prose(value.answer, marks, cite))];
  for (const note of notes(value, t)) parts.push(make("p", { class: "quiet" }, note));
  if (cited.length) parts.push(sources(cited, { t, base, citations: value.citations }));
  const nearest = (value.nearest ?? []).filter((page) => address(page.url, "", base));
  if (nearest.length) parts.push(pages(nearest, t.nearest, base));
  if (value.follow_ups?.length) parts.push(questions(value.follow_ups, t.followUps, onask));
  return parts;
}

function notes(value, t) {
  const names = degraded(value);
  const own = [...(value.uncertainties ?? [])];
  if (value.status === "degraded") own.push(t.degraded);
  if (names.includes("no_model") && value.citations?.length) own.push(t.noModel);
  return [...new Set(own)];
}

const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

function sources(cited, { t, base, citations }) {
  const rows = cited.map((source) => {
    const quotes = [...new Set(citations.filter((one) => one.evidence === source.id).map((one) => one.quote))];
    const link = make("a", { href: address(source.url, quotes[0], base) }, section(source));
    const shown = quotes.slice(0, 3).map((quote) => make("q", {}, short(readable(quote))));
    return make("li", { lang: source.lang }, link, ...shown);
  });
  return make("section", { class: "sources" }, make("h4", {}, t.sources), make("ol", {}, ...rows));
}

function pages(nearest, title, base) {
  const rows = nearest.map((page) => make("li", {}, make("a", { href: address(page.url, "", base) }, section(page))));
  return make("section", { class: "sources" }, make("h4", {}, title), make("ul", {}, ...rows));
}

export function questions(list, title, onask) {
  const rows = list.map((text) => make("li", {}, make("button", { type: "button", class: "plain", onclick: () => onask(text) }, text)));
  return make("section", { class: "starters" }, make("p", { class: "label" }, title), make("ul", {}, ...rows));
}
