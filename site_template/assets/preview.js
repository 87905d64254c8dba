// Hovering or focusing an internal link shows how its page begins. The page itself is fetched, so nothing is shown that
// a reader could not open; only text is taken over.

const OPEN = 320; // ms of rest before a preview opens
const CLOSE = 160; // ms to reach it
const LONGEST = 280; // characters of text
const seen = new Map(); // address -> promise of what is shown

let card = null;
let shownFor = null;
let timer = 0;

const withoutHash = (url) => url.href.split("#")[0];

// Returns the address of a page of this site that a link leads to, else null.
function target(link) {
  const url = new URL(link.href, document.baseURI);
  const root = new URL(document.body.dataset.root, document.baseURI);
  const page = url.pathname.endsWith("/") && url.origin === root.origin && url.pathname.startsWith(root.pathname);
  return page && withoutHash(url) !== withoutHash(new URL(location.href)) ? url : null;
}

const clip = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()}…` : text);
const words = (node) => (node?.textContent ?? "").replace(/\s+/g, " ").trim();

// The first words below a heading, up to the next one; without a heading, those of the page.
function beginning(doc, id) {
  const head = id && doc.getElementById(id);
  const all = [...doc.querySelectorAll(".g-text > p, .g-text > ul, .g-text > ol, .g-text > blockquote, .g-text > h2, .g-text > h3, .g-text > h4")];
  const from = head ? all.indexOf(head) + 1 : all.findIndex((node) => !node.matches("h2, h3, h4"));
  const found = all[from];
  return found && !found.matches("h2, h3, h4") ? words(found) : "";
}

async function read(url) {
  const reply = await fetch(withoutHash(url), { credentials: "omit" });
  if (!reply.ok) return null;
  const doc = new DOMParser().parseFromString(await reply.text(), "text/html"); // inert: nothing in it runs or loads
  const id = decodeURIComponent(url.hash.slice(1));
  const section = words(id && doc.getElementById(id)?.closest("h2, h3, h4, h5, h6"));
  const text = (!id && words(doc.querySelector(".g-summary"))) || beginning(doc, id);
  return { lang: doc.documentElement.lang, title: words(doc.querySelector("h1")), section, text: clip(text) };
}

function known(url) {
  if (!seen.has(url.href)) seen.set(url.href, read(url).catch(() => null));
  return seen.get(url.href);
}

const line = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });

function makeCard() {
  const made = document.body.appendChild(line("div", "g-preview md-typeset", ""));
  made.popover = "manual";
  made.addEventListener("pointerenter", () => clearTimeout(timer));
  made.addEventListener("pointerleave", hideSoon);
  return made;
}

async function show(link, url) {
  const found = await known(url);
  if (!found?.title || shownFor !== link) return;
  card ??= makeCard();
  card.lang = found.lang;
  const parts = [line("strong", "", found.title), found.section && found.section !== found.title && line("span", "g-preview-section", found.section), found.text && line("p", "", found.text)];
  card.replaceChildren(...parts.filter(Boolean));
  card.showPopover();
  place(link);
}

// Below the link, or above it where there is no room.
function place(link) {
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const below = at.bottom + height + 12 < innerHeight || at.top < height + 12;
  card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  card.style.top = `${below ? at.bottom + 6 : at.top - height - 6}px`;
}

export function hide() {
  clearTimeout(timer);
  shownFor = null;
  if (card?.matches(":popover-open")) card.hidePopover();
}

function hideSoon() {
  clearTimeout(timer);
  timer = setTimeout(hide, CLOSE);
}

function soon(event) {
  const link = event.target.closest?.(".g-text a[href], .g-after a[href]");
  const url = link && target(link);
  if (!url || event.pointerType === "touch") return;
  clearTimeout(timer);
  if (shownFor === link) return;
  hide();
  timer = setTimeout(() => ((shownFor = link), show(link, url)), OPEN);
}

export function previewLinks() {
  if (!HTMLElement.prototype.showPopover) return;
  document.addEventListener("pointerover", soon);
  document.addEventListener("focusin", (event) => event.target.matches?.(":focus-visible") && soon(event));
  document.addEventListener("pointerout", (event) => event.target.closest?.("a") && hideSoon());
  document.addEventListener("focusout", hideSoon);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", hide, { passive: true });
}
