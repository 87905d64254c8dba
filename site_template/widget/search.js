// <geosmin-search>: the dialog behind the header's search box. It asks the function, else searches the static index,
// and filters the public list of pages when there is neither. Attributes: endpoint, root, lang.

import { address } from "./cite.js";
import { sendOnEnter } from "./compose.js";
import { filter, marked } from "./filter.js";
import { searchSite } from "./pagefind.js";
import { make } from "./render.js";
import { search } from "./service.js";
import { words } from "./strings.js";
import { style } from "./style.js";

const PAUSE = 120; // ms without typing before the function is asked: a fast typist's gap

export class GeosminSearch extends HTMLElement {
  #parts = null;
  #pages = null;
  #timer = 0;
  #abort = null;
  #choice = 0;
  #options = [];

  connectedCallback() {
    if (this.#parts) return;
    const root = this.attachShadow({ mode: "open" });
    style(root);
    const t = words(this.lang);
    const field = make("input", { type: "text", inputmode: "search", role: "combobox", "aria-label": t.searchTitle, "aria-expanded": "true", "aria-controls": "results", "aria-autocomplete": "list", autocomplete: "off", enterkeyhint: "go", maxlength: 500, placeholder: t.searchTitle });
    const results = make("div", { class: "results", id: "results", role: "listbox", "aria-label": t.search });
    const status = make("p", { class: "visually-hidden", role: "status" });
    const note = make("p", { class: "foot" }, t.keys);
    const dialog = make("dialog", { "aria-label": t.searchTitle }, field, results, status, note);
    root.append(dialog);
    this.#parts = { field, results, status, note, dialog, t };
    this.#listen(sendOnEnter(field, (event) => this.#enter(event)));
  }

  open(query = "") {
    const { dialog, field } = this.#parts;
    if (dialog.open) return;
    if (query) field.value = query;
    dialog.showModal(); // remembers who had the focus and gives it back
    field.select();
    this.#update();
  }

  #listen(composing) {
    const { field, dialog } = this.#parts;
    field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#update(), PAUSE);
    });
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || composing()) return;
      event.preventDefault();
      this.#choose(this.#choice + step);
    });
    dialog.addEventListener("cancel", (event) => composing() && event.preventDefault());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  async #update() {
    this.#abort?.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const query = this.#parts.field.value.trim();
    if (!query) return this.#draw([], query, true);
    const found = await search({ endpoint: this.getAttribute("endpoint"), query, signal });
    if (signal.aborted) return;
    const shown = found ?? (await searchSite({ root: this.#root(), query }));
    const pages = shown ?? filter(await this.#list(), query);
    if (!signal.aborted) this.#draw(pages, query, shown !== null);
  }

  #root() {
    return new URL(this.getAttribute("root") || "./", document.baseURI);
  }

  // The public list of pages, fetched once and only when nothing else can search.
  async #list() {
    if (this.#pages) return this.#pages;
    const root = this.#root();
    try {
      const rows = await (await fetch(new URL("assets/pages.json", root))).json();
      this.#pages = rows.map(([title, url, summary, lang]) => ({ title, url: new URL(url, root).href, summary, lang }));
    } catch {
      return [];
    }
    return this.#pages;
  }

  #draw(pages, query, complete) {
    const { results, status, note, t } = this.#parts;
    const links = pages.map((page) => this.#page(page, query)).filter(Boolean);
    const asks = query ? [make("div", { role: "option", onclick: () => this.#ask(query) }, make("b", {}, t.askThis(query)))] : [];
    this.#options = [...links, ...asks];
    this.#options.forEach((option, index) => {
      option.id = `option-${index}`;
      option.addEventListener("pointermove", () => this.#choose(index));
    });
    const group = (title, list) => (list.length ? [make("div", { role: "group", "aria-label": title }, make("div", { class: "group", "aria-hidden": "true" }, title), ...list)] : []);
    results.replaceChildren(...group(t.pages, links), ...group(t.answers, asks));
    note.textContent = complete ? t.keys : `${t.titlesOnly} ${t.keys}`;
    status.textContent = query ? (links.length ? t.found(links.length) : t.nothing) : "";
    this.#choose(0);
  }

  #page(page, query) {
    const href = address(page.url, "", document.baseURI);
    const path = page.section?.filter((part) => part !== page.title).join(" › ");
    const text = [path, page.summary].filter(Boolean).join(" — ");
    return href && make("a", { role: "option", href, tabindex: -1, lang: page.lang }, make("b", {}, ...marked(page.title, query)), make("span", {}, ...marked(text, query)));
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

  #ask(query) {
    this.#parts.dialog.close();
    document.querySelector("geosmin-ask")?.ask(query);
  }
}
