// The box around a conversation: a sheet, or a part of the page. It knows no state.

import { sendOnEnter } from "./compose.js";
import { button, make } from "./render.js";

export const LONGEST_QUESTION = 2000;

const PHONE = "(max-width: 48em)";

// `does`: submit, stop, typed, clear, find, escape, close; `has`: inline, find, article, placeholder. Returns the nodes
// that change.
export function panel(t, has, does) {
  const field = make("textarea", { rows: 1, enterkeyhint: "send", "aria-label": t.placeholder, placeholder: has.placeholder || t.placeholder, "aria-describedby": "note", oninput: does.typed });
  const send = make("button", { class: "send", type: "submit", onclick: does.stop }, t.send);
  const find = has.find && button(has.find, does.find, { class: "find" });
  const hint = matchMedia("(pointer: coarse)").matches ? "" : t.hint; // there is no Shift on a phone
  const note = make("p", { class: "note", id: "note" }, hint);
  const here = has.article && make("input", { type: "checkbox" });
  const form = make("form", { onsubmit: (event) => (event.preventDefault(), does.submit()) }, field, find, send);
  const foot = make("div", { class: "foot" }, here && make("label", {}, here, t.hereOnly), note);
  const log = make("div", { class: "log" });
  const status = make("p", { class: "visually-hidden", role: "status" });
  const clear = button(t.clear, does.clear, { class: "clear" });
  const composing = sendOnEnter(field, does.submit);
  const above = has.inline ? make("h2", { class: "visually-hidden" }, t.title) : make("div", { class: "bar" }, make("h2", { id: "title" }, t.title), clear, button(t.close, does.close));
  const box = has.inline ? make("div", { class: "panel inline", lang: t.lang }, above, form, foot, status, log, clear) : make("dialog", { class: "panel sheet", lang: t.lang, "aria-labelledby": "title" }, above, log, status, form, foot);
  box.addEventListener("cancel", (event) => (event.preventDefault(), composing() || does.escape())); // Esc of a modal sheet, or "back" on a phone
  box.addEventListener("keydown", (event) => event.key === "Escape" && !box.matches(":modal") && !composing() && !event.isComposing && does.escape());
  return { field, send, note, hint, here, log, status, clear, composing, box };
}

// On a phone the sheet is all there is, so the rest of the page is inert; beside a page it leaves the page alone.
export function show(box) {
  if (box.open) return;
  matchMedia(PHONE).matches ? box.showModal() : box.show();
  fit(box);
}

// Keeps the sheet above an on-screen keyboard, which browsers lay over the page.
export function fit(box) {
  const seen = window.visualViewport;
  if (!seen || !box.open) return;
  box.style.setProperty("--seen", `${seen.height}px`);
  box.style.setProperty("--below", `${Math.max(0, innerHeight - seen.height - seen.offsetTop)}px`);
}
