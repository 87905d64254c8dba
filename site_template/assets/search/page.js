// The page of all results. What is searched stands in its address, so a search can be kept and sent. The page for lost
// readers holds the same form and searches for the words of the address that led nowhere.

import { chooser } from "../../widget/choice.js";
import { address } from "../../widget/cite.js";
import { sendOnEnter } from "../../widget/compose.js";
import { choices, find } from "../../widget/engine.js";
import { marked } from "../../widget/filter.js";
import { remember } from "../../widget/recent.js";
import { make } from "../../widget/render.js";
import { searchWords } from "../../widget/search-strings.js";

const MOST = 20;
const form = document.getElementById("g-results-form");
const list = document.getElementById("g-results");
const status = form.querySelector("[role=status]");
const t = searchWords(document.documentElement.lang);
const root = new URL(document.body.dataset.root, document.baseURI);
const lost = form.hasAttribute("data-lost");
const params = new URLSearchParams(location.search);
let choice = Object.fromEntries(Object.keys(choices).map((name) => [name, (!lost && params.get(name)) || choices[name]]));
let abort = null;

// The words of an address: its last part says most.
function fromAddress() {
  const rest = location.pathname.slice(root.pathname.length);
  try {
    return decodeURIComponent(rest).replace(/\.(html|md)$/, "").split("/").filter(Boolean).slice(-1).join(" ").replace(/[-_+.]+/g, " ").slice(0, 200);
  } catch {
    return "";
  }
}

function row(page, query) {
  const href = address(page.url, "", document.baseURI);
  const path = page.section?.filter((part) => part !== page.title).join(" › ");
  const kind = page.kind && page.kind !== "article" ? t.kinds[page.kind] : "";
  const text = [path, page.summary].filter(Boolean).join(" — ");
  return href && make("li", { lang: page.lang }, make("a", { href }, ...marked(page.title, query)), kind && make("small", {}, kind), make("span", { class: "g-row-text" }, ...marked(text, query)));
}

function draw(pages, query, lack) {
  list.replaceChildren(...pages.map((page) => row(page, query)).filter(Boolean));
  const found = pages.length ? t.found(pages.length) : t.nothing;
  status.textContent = lack ? `${found} ${t[lack]}` : found;
}

function keep(query) {
  if (lost) return;
  const url = new URL(location.pathname, location.href);
  for (const [name, value] of Object.entries({ q: query, ...choice })) if (value && value !== choices[name]) url.searchParams.set(name, value);
  history.replaceState(null, "", url);
}

function update() {
  abort?.abort();
  abort = new AbortController();
  const query = form.q.value.trim();
  keep(query);
  if (!query) return (list.replaceChildren(), (status.textContent = ""));
  find({ endpoint: document.body.dataset.endpoint, root, query, choice, signal: abort.signal, limit: MOST }, (pages, lack) => draw(pages, query, lack));
}

const composing = sendOnEnter(form.q, () => (remember(form.q.value.trim()), update()));
form.q.addEventListener("input", () => composing() || update());
form.q.addEventListener("compositionend", () => setTimeout(update));
form.addEventListener("submit", (event) => (event.preventDefault(), update()));
form.querySelector("[data-ask-this]").addEventListener("click", () => form.q.value.trim() && document.querySelector("geosmin-ask")?.ask(form.q.value.trim()));

form.q.value = lost ? fromAddress() : (params.get("q") ?? "").slice(0, 500);
const { row: filters, ready } = chooser({ root, t, choice, changed: (given) => ((choice = { ...choices, ...given }), update()) });
form.querySelector("[data-choices]").append(filters);
if (!lost) form.q.focus();
update();
await ready;
form.dataset.ready = "";
