// A citation: a numbered chip, and on demand the quoted words in their context. The passage is fetched when a reader asks
// for it, so answers stay small; until it comes, and when it does not, the card shows the words of the citation itself.

import { address, named, readable } from "./cite.js";
import { button, make } from "./render.js";

const AROUND = 180; // characters of context on each side

const edge = (text, mark) => (text.length > AROUND ? mark : "");

// Returns the quote with what stands around it, or null when the text is another one now. Offsets count code points.
export function context(text, { quote, start, end }) {
  const points = [...text];
  let [before, after] = [points.slice(0, start).join(""), points.slice(end).join("")];
  if (points.slice(start, end).join("") !== quote) {
    const at = text.indexOf(quote);
    if (at < 0) return null;
    [before, after] = [text.slice(0, at), text.slice(at + quote.length)];
  }
  return { before: edge(before, "…") + readable(before.slice(-AROUND)), quote: readable(quote), after: readable(after.slice(0, AROUND)) + edge(after, "…") };
}

function close(chip) {
  chip.getRootNode().getElementById(chip.getAttribute("aria-controls"))?.remove();
  chip.setAttribute("aria-expanded", "false");
  chip.removeAttribute("aria-controls");
}

let count = 0;

function open(chip, { source, citation, t, base, blank, read }) {
  const id = `card-${++count}`;
  const words = make("blockquote", { lang: source.lang }, make("mark", {}, readable(citation.quote)));
  const href = address(source.url, citation.text, base);
  const link = href && make("a", { href, ...blank }, t.openAt);
  const shut = button(t.close, () => (close(chip), chip.focus()), { class: "plain" });
  const card = make("div", { class: "card", id, role: "group", "aria-label": chip.getAttribute("aria-label") }, make("p", {}, make("b", {}, named(source))), words, make("p", { class: "row" }, link, shut));
  for (const other of chip.closest(".turn").querySelectorAll(".cite[aria-expanded=true]")) close(other);
  chip.setAttribute("aria-expanded", "true");
  chip.setAttribute("aria-controls", id);
  const block = chip.closest("li, p");
  block.localName === "li" ? block.append(card) : block.after(card);
  read(source.locator).then((text) => fill(words, text && context(text, citation)));
}

function fill(words, found) {
  if (!found) return;
  const space = (text) => (/[!-~]$/.test(text) ? " " : ""); // Chinese has none
  words.replaceChildren(found.before, space(found.before), make("mark", {}, found.quote), space(found.quote), found.after);
}

// Returns the chip with the number; it opens and closes its card. It is a link, because a line may break before a button.
export function chip(number, given) {
  const { source, citation, t, base } = given;
  const node = make("a", { class: "cite", role: "button", href: address(source.url, citation.text, base) ?? base, "aria-expanded": "false", "aria-label": t.citation(number, named(source)) }, String(number));
  const turn = (event) => (event.preventDefault(), node.ariaExpanded === "true" ? close(node) : open(node, given));
  node.addEventListener("click", (event) => event.ctrlKey || event.metaKey || turn(event));
  node.addEventListener("keydown", (event) => event.key === " " && turn(event));
  return node;
}

// Closes the open card that holds the focus, or that belongs to the chip that does; returns whether there was one.
export function closeAt(focused) {
  const id = focused?.closest(".card")?.id ?? focused?.getAttribute("aria-controls");
  const owner = id && focused.getRootNode().querySelector(`.cite[aria-controls="${id}"]`);
  if (!owner) return false;
  close(owner);
  owner.focus();
  return true;
}
