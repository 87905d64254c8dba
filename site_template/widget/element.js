// <geosmin-ask>: a question box that answers from the published pages. Attributes: endpoint (where the function is; ""
// is this site), root (the site's root), lang, index (the list of articles), placeholder, starters (JSON list), inline,
// find (a button that fires "geosmin-find" with what was typed).

import { sendOnEnter } from "./compose.js";
import { initial, keepable, reduce } from "./reducer.js";
import { make, questions, turn } from "./render.js";
import { ask } from "./service.js";
import { words } from "./strings.js";
import { style } from "./style.js";

export class GeosminAsk extends HTMLElement {
  #state = initial;
  #abort = null;
  #parts = null;
  #spoken = 0;

  connectedCallback() {
    if (this.#parts) return; // moved in the document: everything is there already
    this.#build();
    if (!this.#inline) this.#restore();
    const asked = this.#inline && new URLSearchParams(location.search).get("ask");
    if (asked) this.#parts.field.value = asked.slice(0, 2000); // filled in, not sent: following a link spends nothing
  }

  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.#abort?.abort());
  }

  get #inline() {
    return this.hasAttribute("inline");
  }

  get #words() {
    return words(this.lang || document.documentElement.lang);
  }

  get #context() {
    const index = this.getAttribute("index");
    return { t: this.#words, base: document.baseURI, index, onask: (text) => this.#send(text) };
  }

  // Opens the panel and asks. A question that is being answered is not interrupted.
  ask(question) {
    this.open();
    this.#send(question);
  }

  open() {
    if (this.#inline) return this.#parts.field.focus();
    this.#parts.panel.hidden = false;
    this.#parts.launch.hidden = true;
    this.#parts.launch.setAttribute("aria-expanded", "true");
    this.#parts.field.focus();
  }

  close() {
    if (this.#inline) return;
    this.#parts.panel.hidden = true;
    this.#parts.launch.hidden = false;
    this.#parts.launch.setAttribute("aria-expanded", "false");
    this.#parts.launch.focus();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    style(root);
    const t = this.#words;
    const field = make("textarea", { rows: 1, maxlength: 2000, enterkeyhint: "send", "aria-label": t.placeholder, placeholder: this.getAttribute("placeholder") || t.placeholder });
    const send = make("button", { class: "send", type: "submit" }, t.send);
    const find = this.hasAttribute("find") && make("button", { class: "find", type: "button", onclick: () => this.#find() }, t.find);
    const form = make("form", { onsubmit: (event) => this.#submit(event) }, field, find || null, send);
    const log = make("div", { class: "log" });
    const status = make("p", { class: "visually-hidden", role: "status" });
    const composing = sendOnEnter(field, () => this.#submit());
    this.#parts = { field, send, log, status, ...this.#frame({ t, form, log, status, composing }) };
    root.append(...[this.#parts.launch, this.#parts.panel].filter(Boolean));
    this.#showStarters();
  }

  #frame({ t, form, log, status, composing }) {
    if (this.#inline) return { panel: make("div", { class: "panel inline" }, make("h2", { class: "visually-hidden" }, t.title), form, status, log) };
    const bar = make(
      "div",
      { class: "bar" },
      make("h2", { id: "title" }, t.title),
      make("button", { type: "button", onclick: () => this.#clear() }, t.clear),
      make("button", { type: "button", onclick: () => this.close() }, t.close),
    );
    const panel = make("section", { class: "panel sheet", role: "dialog", "aria-labelledby": "title", hidden: true }, bar, log, status, form, make("p", { class: "hint" }, t.hint));
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !composing() && !event.isComposing) this.close();
    });
    return { panel, launch: make("button", { class: "launch", type: "button", "aria-expanded": "false", onclick: () => this.open() }, t.open) };
  }

  #showStarters() {
    let list = [];
    try {
      list = JSON.parse(this.getAttribute("starters") || "[]");
    } catch {
      list = this.getAttribute("starters").split("|");
    }
    if (!list.length || this.#state.turns.length) return;
    const made = questions(list.slice(0, 4), this.#words.starters, (text) => this.#send(text));
    this.#inline ? this.#parts.panel.append(made) : this.#parts.log.append(made);
  }

  #submit(event) {
    event?.preventDefault();
    if (this.#abort) return this.#abort.abort();
    this.#send(this.#parts.field.value);
  }

  async #send(text) {
    const question = text.trim();
    if (!question || this.#abort) return;
    this.#parts.panel.querySelector(".starters")?.remove();
    this.#parts.field.value = "";
    this.#spoken = 0;
    this.#abort = new AbortController();
    this.#dispatch({ type: "ask", question });
    const { conversation } = this.#state;
    const request = { endpoint: this.getAttribute("endpoint"), question, lang: this.lang, conversation, signal: this.#abort.signal };
    await ask(request, (event) => this.#dispatch(event));
    this.#abort = null;
    this.#parts.send.textContent = this.#words.send;
    this.#keep();
  }

  // The page that holds the box decides how to search; what was typed goes along.
  #find() {
    const detail = { query: this.#parts.field.value };
    this.dispatchEvent(new CustomEvent("geosmin-find", { bubbles: true, detail }));
  }

  #clear() {
    this.#abort?.abort();
    this.#state = reduce(this.#state, { type: "clear" });
    this.#parts.log.replaceChildren();
    this.#showStarters();
    this.#keep();
    this.#parts.field.focus();
  }

  #dispatch(event) {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state !== before) this.#show();
  }

  // Redraws the turn that is being answered; finished turns are left alone, so focus inside them stays.
  #show() {
    const { log, send } = this.#parts;
    const t = this.#words;
    const item = this.#state.turns.at(-1);
    if (!item) return;
    send.textContent = item.phase === "working" ? t.stop : t.send;
    const drawn = turn(item, this.#context);
    const current = log.querySelector("[data-current]");
    if (current) current.replaceWith(drawn);
    else log.append(drawn);
    drawn.toggleAttribute("data-current", item.phase === "working");
    if (!this.#inline && !current) drawn.scrollIntoView({ block: "start" });
    this.#say(item, t);
  }

  // Tells a screen reader only what is new: the last step, the next sentences, the end.
  #say(item, t) {
    const { status } = this.#parts;
    const fresh = item.text.slice(this.#spoken).trim();
    if (item.error) status.textContent = t[item.error.key] ?? t.broken;
    else if (item.phase === "stopped") status.textContent = t.stopped;
    else if (item.phase === "done") status.textContent = `${fresh} ${t.done}`.trim();
    else status.textContent = fresh || item.steps.at(-1) || t.working;
    this.#spoken = item.text.length;
  }

  get #key() {
    return `geosmin-ask ${new URL(this.getAttribute("root") || ".", document.baseURI).pathname}`;
  }

  #keep() {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(keepable(this.#state)));
    } catch {
      // Storage is blocked or full: the conversation lasts for this page.
    }
  }

  #restore() {
    try {
      this.#state = reduce(this.#state, { type: "restore", state: JSON.parse(sessionStorage.getItem(this.#key)) });
    } catch {
      return;
    }
    if (!this.#state.turns.length) return;
    this.#parts.log.replaceChildren(...this.#state.turns.map((item) => turn(item, this.#context)));
  }
}
