// What a page does beyond reading: theme, copying, "you are here" in the table of contents, questions to click.

import { linkHeadings } from "./headings.js";
import { previewLinks } from "./preview.js";
import "../widget/geosmin-search.js"; // at once: a key typed while it loads would be lost
import { searchSite } from "../widget/pagefind.js";

const page = document.documentElement;

function toggleTheme() {
  const dark = page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  page.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("geosmin-theme", page.dataset.theme);
  } catch {
    // Storage is blocked: the choice lasts for this page.
  }
}

async function copy(button, text) {
  const before = button.textContent;
  await navigator.clipboard.writeText(text);
  button.textContent = button.dataset.done;
  setTimeout(() => (button.textContent = before), 1500);
}

function addCopyButtons() {
  const { copy: label, copied: done } = document.body.dataset;
  for (const code of document.querySelectorAll(".md-typeset pre > code")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "g-copy", textContent: label });
    button.dataset.done = done;
    button.addEventListener("click", () => copy(button, code.textContent));
    code.parentElement.parentElement.classList.contains("highlight")
      ? code.parentElement.parentElement.append(button)
      : code.parentElement.append(button);
  }
}

// A box that scrolls sideways must be reachable by keyboard.
function letScrollersFocus() {
  for (const box of document.querySelectorAll(".md-typeset pre > code, .md-typeset .table-wrap, .md-typeset table")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

function followHeadings() {
  const links = new Map();
  for (const link of document.querySelectorAll(".g-toc a")) links.set(decodeURIComponent(link.hash.slice(1)), link);
  const heads = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  if (!heads.length) return;
  const mark = () => {
    const above = heads.filter((head) => head.getBoundingClientRect().top < innerHeight * 0.3);
    const here = above.at(-1) ?? heads[0];
    for (const [id, link] of links) {
      id === here.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
    }
  };
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => ((waiting = false), mark()));
  };
  addEventListener("scroll", later, { passive: true });
  mark();
}

function nameHosts() {
  for (const link of document.querySelectorAll(".g-text a[href^=http]")) {
    if (link.host !== location.host) link.title ||= link.host;
  }
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-theme-toggle], [data-copy-link], [data-ask]");
  if (!target) return;
  if (target.matches("[data-theme-toggle]")) toggleTheme();
  if (target.matches("[data-copy-link]")) copy(target, location.href);
  const panel = document.querySelector("geosmin-ask");
  if (target.matches("[data-ask]") && panel?.ask && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    panel.ask(target.textContent.trim());
  }
});

// The small graph names the page that is pointed at.
function nameNeighbours() {
  const graph = document.querySelector(".g-local");
  const name = graph?.querySelector("[data-local-name]");
  const say = (event) => (name.textContent = event.target.closest("svg a")?.getAttribute("aria-label") ?? "");
  for (const kind of ["pointerover", "focusin", "pointerleave", "focusout"]) graph?.addEventListener(kind, say);
}

// A long tree shows the line of this page, not its beginning.
function showHere() {
  const tree = document.querySelector(".g-tree");
  const here = tree?.querySelector("[aria-current]");
  if (here && here.offsetTop > tree.clientHeight * 0.7) tree.scrollTop = here.offsetTop - tree.clientHeight / 3;
}

addCopyButtons();
showHere();
letScrollersFocus();
followHeadings();
nameHosts();
nameNeighbours();
linkHeadings();
previewLinks();

// The header's search box is a link to the list of articles; with the widget loaded it opens the dialog instead.
function openSearch(query) {
  let box = document.querySelector("geosmin-search");
  if (!box) {
    box = document.createElement("geosmin-search");
    box.lang = page.lang;
    box.setAttribute("endpoint", document.body.dataset.endpoint);
    box.setAttribute("root", document.body.dataset.root);
    document.body.append(box);
    const [word] = document.title.match(/[\p{L}\p{N}]+/u) ?? [""]; // index and code are there when the first key is pressed
    searchSite({ root: new URL(document.body.dataset.root, document.baseURI), query: word, limit: 1 });
  }
  box.open?.(query);
}

document.addEventListener("geosmin-find", (event) => openSearch(event.detail.query));

const typing = (target) => target.matches?.("input, textarea, select, [contenteditable]") || target.shadowRoot?.activeElement?.matches("input, textarea");

document.querySelector("[data-search]")?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !customElements.get("geosmin-search")) return;
  event.preventDefault();
  openSearch();
});
document.addEventListener("keydown", (event) => {
  const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);
  const controlK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
  if (!slash && !controlK) return;
  event.preventDefault();
  openSearch();
});
