// <geosmin-search>: the dialog behind the header's search box. Attributes: endpoint, root, lang.

import { chooser } from "./choice.js";
import { address } from "./cite.js";
import { sendOnEnter } from "./compose.js";
import { choices, find } from "./engine.js";
import { marked } from "./filter.js";
import { forget, recent, remember } from "./recent.js";
import { make } from "./render.js";
import { searchWords } from "./search-strings.js";
import { SEARCH_STYLE } from "./search-style.js";
import { style } from "./style.js";

export class GeosminSearch extends HTMLElement {
  #parts = null;
  #abort = null;
  #choice = 0;
  #given = { ...choices };
  #options = [];

  connectedCallback() {
    if (this.#parts) return;
    const root = this.attachShadow({ mode: "open" });
    style(root, SEARCH_STYLE);
    const t = searchWords(this.lang);
    const field = make("input", { type: "text", inputmode: "search", role: "combobox", "aria-label": t.searchTitle, "aria-expanded": "true", "aria-controls": "results", "aria-autocomplete": "list", autocomplete: "off", enterkeyhint: "go", maxlength: 500, placeholder: t.searchTitle });
    const results = make("div", { class: "results", id: "results", role: "listbox", "aria-label": t.search });
    const status = make("p", { class: "visually-hidden", role: "status" });
    const note = make("span", {});
    const all = make("a", { href: this.#page() }, t.allResults);
    const close = make("button", { class: "close", type: "button", onclick: () => dialog.close() }, t.close);
    const foot = make("p", { class: "foot" }, note, make("span", { class: "keys" }, t.keys), all);
    const dialog = make("dialog", { "aria-label": t.searchTitle }, make("div", { class: "head" }, field, close), results, status, foot);
    root.append(dialog);
    this.#parts = { field, results, status, note, all, dialog, t };
    this.#listen(sendOnEnter(field, (event) => this.#enter(event)));
  }

  open(query = "") {
    const { dialog, field } = this.#parts;
    if (dialog.open) return;
    if (query) field.value = query;
    this.#addChoices();
    dialog.showModal(); // remembers who had the focus and gives it back
    field.select();
    this.#choose(0);
    this.#update();
  }

  #addChoices() {
    const { field, t } = this.#parts;
    if (this.#parts.choices) return;
    const changed = (given) => ((this.#given = { ...choices, ...given }), this.#update());
    this.#parts.choices = chooser({ root: this.#root(), t, choice: this.#given, changed });
    const { row } = this.#parts.choices;
    const show = (event) => event.target.setAttribute("aria-expanded", String(!(row.hidden = !row.hidden)));
    row.hidden = true;
    field.parentElement.after(make("button", { class: "narrow", type: "button", "aria-expanded": "false", onclick: show }, t.narrow), row);
  }

  #listen(composing) {
    const { field, dialog } = this.#parts;
    field.addEventListener("input", () => composing() || this.#update());
    field.addEventListener("compositionend", () => setTimeout(() => this.#update()));
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || composing()) return;
      event.preventDefault();
      this.#choose(this.#choice + step);
    });
    dialog.addEventListener("cancel", (event) => composing() && event.preventDefault());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  #update() {
    this.#abort?.abort();
    this.#abort = new AbortController();
    const query = this.#parts.field.value.trim();
    this.#parts.all.href = this.#page(query);
    if (!query) return this.#draw([], "", "");
    const asked = { endpoint: this.getAttribute("endpoint"), root: this.#root(), query, choice: this.#given, signal: this.#abort.signal };
    find(asked, (pages, lack) => this.#draw(pages, query, lack));
  }

  #root() {
    return new URL(this.getAttribute("root") || "./", document.baseURI);
  }

  // The page of all results, for the same search.
  #page(query = "") {
    const url = new URL("search/", this.#root());
    for (const [name, value] of Object.entries({ q: query, ...this.#given })) if (value && value !== choices[name]) url.searchParams.set(name, value);
    return url.href;
  }

  #draw(pages, query, lack) {
    const { results, status, note, t } = this.#parts;
    const before = this.#options[this.#choice]?.href;
    const links = pages.map((page) => this.#link(page, query)).filter(Boolean);
    const asks = query ? [make("div", { role: "option", onclick: () => this.#ask(query) }, make("b", {}, t.askThis(query)))] : [];
    const earlier = query ? [] : recent().map((one) => make("div", { role: "option", onclick: () => this.#again(one) }, make("b", {}, one)));
    this.#options = [...links, ...asks, ...earlier];
    this.#options.forEach((option, index) => {
      option.id = `option-${index}`;
      option.addEventListener("pointermove", () => this.#choose(index));
    });
    const group = (title, list) => (list.length ? [make("div", { role: "group", "aria-label": title }, make("div", { class: "group", "aria-hidden": "true" }, title), ...list)] : []);
    const none = query && !links.length ? [make("div", { class: "group", "aria-hidden": "true" }, t.nothing)] : []; // the status says it, too
    results.replaceChildren(...none, ...group(t.pages, links), ...group(t.answers, asks), ...group(t.recent, earlier));
    note.textContent = lack ? t[lack] : "";
    if (earlier.length) note.replaceChildren(make("button", { type: "button", onclick: () => (forget(), this.#update()) }, `${t.recent}: ${t.forget}`));
    status.textContent = query ? (links.length ? t.found(links.length) : t.nothing) : "";
    this.#choose(Math.max(0, before ? this.#options.findIndex((option) => option.href === before) : 0)); // a better list keeps the choice
  }

  #link(page, query) {
    const href = address(page.url, "", document.baseURI);
    const path = page.section?.filter((part) => part !== page.title).join(" › ");
    const text = [path, page.summary].filter(Boolean).join(" — ");
    return href && make("a", { role: "option", href, tabindex: -1, lang: page.lang, onclick: () => remember(query) }, make("b", {}, ...marked(page.title, query)), make("span", {}, ...marked(text, query)));
  }

  #choose(index) {
    const { field } = this.#parts;
    const count = this.#options.length;
    this.#choice = count ? (index + count) % count : 0;
    this.#options.forEach((option, at) => option.setAttribute("aria-selected", String(at === this.#choice)));
    const chosen = this.#options[this.#choice];
    chosen ? field.setAttribute("aria-activedescendant", chosen.id) : field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  #enter(event) {
    const query = this.#parts.field.value.trim();
    if (event.ctrlKey || event.metaKey) return query && this.#ask(query);
    this.#options[this.#choice]?.click();
  }

  #again(query) {
    this.#parts.field.value = query;
    this.#parts.field.focus();
    this.#update();
  }

  #ask(query) {
    remember(query);
    this.#parts.dialog.close();
    document.querySelector("geosmin-ask")?.ask(query);
  }
}
