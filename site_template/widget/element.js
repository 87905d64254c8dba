// <geosmin-ask>: a question box that answers from the published pages. Attributes, all optional: endpoint (where the
// function is), root (the site's address), lang ("zh" or "en"), theme ("light", "dark", "auto"), scope (JSON, as the API
// takes it), article (the page's id, for "about this page only"), placeholder, starters (JSON list, or parted by "|"),
// inline, find (the name of a button that fires "geosmin-find" with what was typed).

import { scopeOf, startersOf } from "./attributes.js";
import { closeAt } from "./card.js";
import { keep, remembered } from "./memory.js";
import { fit, LONGEST_QUESTION, panel, show } from "./panel.js";
import { initial, reduce, working } from "./reducer.js";
import { button, make, questions } from "./render.js";
import { ask, feedback, passage } from "./service.js";
import { markdown, shareable } from "./share.js";
import { words } from "./strings.js";
import { PANEL, style } from "./style.js";
import { turn } from "./turn.js";

const AGAIN = 400; // ms: a second click that belongs to the first is no wish to stop

export class GeosminAsk extends HTMLElement {
  static home = { endpoint: "", root: "./", find: null }; // where the script comes from; `find` searches its static files

  #state = initial;
  #abort = null;
  #launch = null;
  #parts = null;
  #drawn = new WeakMap(); // turn -> its node
  #opener = null;
  #sent = 0;
  #frame = 0;
  #fit = () => fit(this.#parts.box);

  connectedCallback() {
    if (this.shadowRoot) return; // moved in the document: everything is there already
    style(this.attachShadow({ mode: "open" }));
    if (this.#inline) return this.#embed();
    const t = this.#words;
    this.#launch = button(t.open, () => this.open(), { class: "launch", lang: t.lang, "aria-haspopup": "dialog" });
    this.shadowRoot.append(this.#launch);
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      window.visualViewport?.removeEventListener("resize", this.#fit);
      this.#halt();
    });
  }

  // Opens the panel and asks. A question that is being answered is not interrupted.
  ask(question) {
    this.open();
    this.#send(String(question));
  }

  open() {
    this.#build();
    const { box, field } = this.#parts;
    if (!this.#inline && !box.open) {
      this.#opener = document.activeElement;
      show(box);
      this.#launch.hidden = true;
    }
    field.focus();
  }

  close() {
    if (this.#inline || !this.#parts?.box.open) return;
    this.#parts.box.close();
    this.#launch.hidden = false;
    this.#launch.focus();
    this.#opener?.focus(); // where it cannot take the focus, the button keeps it
  }

  get #inline() {
    return this.hasAttribute("inline");
  }

  #embed() {
    this.#build();
    const asked = new URLSearchParams(location.search).get("ask");
    if (asked) this.#parts.field.value = asked.slice(0, LONGEST_QUESTION); // filled in, not sent: following a link spends nothing
  }

  get #words() {
    return words(this.lang || document.documentElement.lang);
  }

  get #endpoint() {
    return this.getAttribute("endpoint") ?? GeosminAsk.home.endpoint;
  }

  get #base() {
    return new URL(this.getAttribute("root") ?? GeosminAsk.home.root, document.baseURI).href;
  }

  get #key() {
    return `geosmin-ask ${this.#base} ${this.getAttribute("scope") ?? ""}`;
  }

  // The closed box is a button; everything else is made when it is first needed.
  #build() {
    if (this.#parts) return;
    const does = { submit: () => this.#submit(), stop: (event) => this.#stop(event), typed: () => this.#typed(), clear: () => this.#clear(), find: () => this.#find(), escape: () => this.#escape(), close: () => this.close() };
    const has = { inline: this.#inline, find: this.getAttribute("find"), article: this.getAttribute("article"), placeholder: this.getAttribute("placeholder") };
    style(this.shadowRoot, PANEL);
    this.#parts = panel(this.#words, has, does);
    this.shadowRoot.append(this.#parts.box);
    window.visualViewport?.addEventListener("resize", this.#fit);
    this.#dispatch({ type: "restore", state: remembered(this.#key) });
    this.#show();
  }

  get #scope() {
    return scopeOf(this.getAttribute("scope"), this.#parts.here?.checked && this.getAttribute("article"));
  }

  // A long paste is cut before anything is made of it, and the reader is told.
  #typed() {
    const { field, note, composing } = this.#parts;
    const { length } = field.value;
    if (composing() || length <= LONGEST_QUESTION) return;
    field.value = field.value.slice(0, LONGEST_QUESTION);
    note.textContent = this.#words.tooLong(length, LONGEST_QUESTION);
    this.#parts.status.textContent = note.textContent;
  }

  #submit() {
    if (!working(this.#state)) this.#send(this.#parts.field.value, { replace: this.#state.editing });
  }

  #stop(event) {
    if (!working(this.#state)) return;
    event.preventDefault();
    if (performance.now() - this.#sent > AGAIN) this.#halt();
  }

  // Ends the request, whose events nobody hears any more.
  #halt() {
    this.#abort?.abort();
    this.#abort = null;
    this.#dispatch({ type: "stop" });
  }

  async #send(text, { replace = false, scope = this.#scope } = {}) {
    const question = text.trim().slice(0, LONGEST_QUESTION);
    if (!question || this.#abort) return;
    const { field, log } = this.#parts;
    field.value = "";
    this.#sent = performance.now();
    const abort = (this.#abort = new AbortController());
    this.#dispatch({ type: "ask", question, scope, replace });
    if (!this.#inline) log.scrollTop = log.lastElementChild.offsetTop - log.offsetTop;
    const request = { endpoint: this.#endpoint, root: this.#base, question, scope, lang: this.#words.lang, conversation: this.#state.conversation, signal: abort.signal };
    await ask(request, (event) => this.#abort === abort && this.#dispatch(event));
    if (this.#abort !== abort) return;
    this.#abort = null;
    if (this.#state.turns.at(-1)?.phase === "failed") await this.#instead(question);
  }

  // Where the function gives no answer, the site's static files may.
  async #instead(question) {
    const pages = await GeosminAsk.home.find?.({ root: new URL(this.#base), query: question }).catch(() => null);
    if (pages) this.#dispatch({ type: "found", question, pages });
  }

  // The page that holds the box decides how to search; what was typed goes along.
  #find() {
    const detail = { query: this.#parts.field.value };
    this.dispatchEvent(new CustomEvent("geosmin-find", { bubbles: true, detail }));
  }

  #clear() {
    this.#halt();
    this.#dispatch({ type: "clear" });
    this.#parts.field.focus();
  }

  // One thing at a time: the open card, then editing, then the panel.
  #escape() {
    if (closeAt(this.shadowRoot.activeElement)) return;
    if (this.#state.editing) return this.#edit(null);
    this.close();
  }

  #edit(item) {
    this.#dispatch({ type: "edit", on: item !== null });
    this.#parts.field.value = item?.question ?? "";
    this.#parts.field.focus();
  }

  async #rate(item, verdict, comment = "") {
    const at = this.#state.turns.indexOf(item);
    const told = (value) => this.#dispatch({ type: "verdict", at, verdict: value });
    const { log } = this.#parts;
    if (verdict === "asking") {
      told("asking");
      return log.children[at].querySelector(".reasons button").focus();
    }
    const { question, answer } = item;
    const taken = await feedback(this.#endpoint, { rating: verdict, question, comment, build_id: answer.build_id });
    told(taken ? "sent" : "lost");
    this.#parts.status.textContent = log.children[at]?.querySelector(".said")?.textContent ?? "";
  }

  // Copies, or shows what to copy where the browser forbids it.
  async #copy(text, from) {
    const t = this.#words;
    const before = from.textContent;
    try {
      await navigator.clipboard.writeText(text);
      this.#parts.status.textContent = from.textContent = t.copied;
      setTimeout(() => (from.textContent = before), 1500);
    } catch {
      const field = make("textarea", { readonly: true, rows: 4, "aria-label": t.copyThis }, text);
      from.closest(".actions").after(make("label", { class: "copy" }, t.copyThis, field));
      field.select();
    }
  }

  #dispatch(event) {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state === before) return;
    if (event.type === "text-delta") {
      this.#frame ||= requestAnimationFrame(() => this.#show()); // however fast a stream is, it is drawn once a frame
      return;
    }
    this.#show();
    keep(this.#key, this.#state);
    if (working(this.#state) || working(before)) this.#say(this.#state.turns.at(-1));
  }

  // Draws the turns that have changed; the others are left alone, so focus inside them stays.
  #show() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { log, box, clear, send, note, hint } = this.#parts;
    const { turns, editing } = this.#state;
    const t = this.#words;
    const nodes = turns.map((item) => this.#node(item));
    for (const old of [...log.children]) if (!nodes.includes(old)) old.remove();
    nodes.forEach((node, at) => log.children[at] === node || log.insertBefore(node, log.children[at] ?? null));
    box.querySelector(":scope > .starters")?.remove();
    const starters = turns.length ? [] : startersOf(this.getAttribute("starters"));
    if (starters.length) (this.#inline ? box : log).append(questions(starters, t.starters, (text) => this.#send(text)));
    clear.hidden = !turns.length;
    send.textContent = working(this.#state) ? t.stop : t.send;
    note.textContent = editing ? t.editing : hint;
    box.classList.toggle("editing", editing);
  }

  #node(item) {
    const blank = new URL(this.#base).origin === location.origin && window === window.top ? {} : { target: "_blank", rel: "noopener" };
    const does = {
      ask: (text) => this.#send(text),
      again: ({ question, scope }) => this.#send(question, { scope, replace: true }),
      edit: (one) => this.#edit(one),
      rate: (one, verdict, reason) => this.#rate(one, verdict, reason),
      copy: (one, from) => this.#copy(markdown(one, this.#base), from),
      share: (one, from) => this.#copy(shareable(one.question, this.#base), from),
      read: (locator) => passage(this.#endpoint, locator),
    };
    if (!this.#drawn.has(item)) this.#drawn.set(item, turn(item, { t: this.#words, base: this.#base, blank, ...does }));
    return this.#drawn.get(item);
  }

  // Tells a screen reader each step, and the answer once, whole: sentences that replace each other are cut off or repeated.
  #say(item) {
    const t = this.#words;
    const said = { working: item?.steps.at(-1) ?? t.working, done: `${item?.text} ${t.done}`, stopped: t.stopped };
    if (item) this.#parts.status.textContent = said[item.phase] ?? this.#drawn.get(item).querySelector(".problem p").textContent;
  }
}
