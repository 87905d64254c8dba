// A password page: asks for the password, and shows what it opens. Nothing of it is known before, and once the page has
// loaded no more is fetched, so it opens without a network too.

import { drop, keep, kept } from "./keys.js";
import { Sealed } from "./seal.js";

const place = document.getElementById("g-unlock");
const form = place.querySelector("form");
const status = place.querySelector("[role=alert]");
const say = (key) => (status.textContent = key ? place.dataset[key] : "");
const root = new URL(document.body.dataset.root, document.baseURI);
const id = /^#([0-9a-f]{32})$/.exec(location.hash)?.[1];
const folder = id && new URL(`protected/p/${id}/`, root);

// Links count from the page's own folder; files lie inside the ciphertext.
function settle(body, attachments) {
  const files = new Map(attachments.map((file) => [file.url, file]));
  for (const node of body.querySelectorAll("[src], [href]")) {
    const name = node.hasAttribute("src") ? "src" : "href";
    const given = node.getAttribute(name);
    const file = files.get(given);
    if (file) show(node, name, file);
    else if (!given.startsWith("#")) node.setAttribute(name, new URL(given, folder).href);
  }
}

// Images stand in the page; any other file is offered to be saved.
function show(node, name, { url, type, data }) {
  const address = `data:${type};base64,${data}`;
  if (node.matches("img")) return node.setAttribute(name, address);
  const blob = new Blob([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], { type });
  const link = node.matches("a") ? node : document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = decodeURIComponent(url.split("/").at(-1));
  link.textContent ||= link.download;
  if (link !== node) node.closest("video, audio")?.replaceWith(link);
}

function contents(toc) {
  const list = document.createElement("ul");
  for (const { level, title, anchor } of toc.filter((one) => one.level > 1)) {
    const link = Object.assign(document.createElement("a"), { href: `#${anchor}`, textContent: title });
    link.addEventListener("click", (event) => (event.preventDefault(), document.getElementById(anchor)?.scrollIntoView()));
    list.appendChild(document.createElement("li")).append(link);
    list.lastChild.className = `g-level-${level}`;
  }
  return list;
}

const nameTab = (title) => (document.title = `${title} · ${document.title.split(" · ").at(-1)}`);

function draw(page) {
  const body = new DOMParser().parseFromString(page.html, "text/html").body;
  settle(body, page.attachments);
  const heading = body.querySelector("h1") ?? Object.assign(document.createElement("h1"), { textContent: page.title });
  heading.tabIndex = -1;
  const article = document.createElement("div");
  article.lang = page.lang;
  const toc = contents(page.toc);
  article.append(heading, ...(page.updated ? [Object.assign(document.createElement("p"), { className: "g-note", textContent: page.updated })] : []), ...(toc.children.length > 2 ? [toc] : []), ...body.childNodes);
  toc.className = "g-unlock-toc";
  nameTab(page.title);
  document.querySelector(".g-head").hidden = true;
  form.hidden = true;
  place.append(article);
  heading.focus();
}

// As for any address without a page: the heading must not go on asking for a password.
function gone() {
  form.hidden = true;
  document.querySelector(".g-head h1").textContent = place.dataset.lost;
  nameTab(place.dataset.lost);
  say("absent");
}

function offerToForget(sealed) {
  const button = form.querySelector("[data-forget]").cloneNode(true);
  button.hidden = false;
  button.addEventListener("click", async () => (await drop(sealed.name), location.reload()));
  place.append(button);
}

async function open(sealed, key) {
  const page = await sealed.open(key);
  if (!page) return false;
  if (page.not_after !== null && page.not_after * 1000 <= Date.now()) return gone(), true;
  draw(page);
  return true;
}

async function submitted(event, sealed) {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  say("working");
  const key = await sealed.key(form.password.value);
  const opened = await open(sealed, key);
  button.disabled = false;
  if (!opened) return say("wrong"), form.password.select();
  if (!form.hidden || !place.querySelector("h1")) return; // it has expired
  say("");
  form.password.value = "";
  if (form.remember.checked) (await keep(sealed.name, key), offerToForget(sealed));
}

async function begin() {
  if (!globalThis.crypto?.subtle) return say("insecure");
  let sealed;
  try {
    sealed = folder && (await Sealed.fetch(id, folder));
  } catch (error) {
    return say(error instanceof TypeError ? "offline" : "damaged");
  }
  if (!sealed) return gone();
  const key = await kept(sealed.name);
  if (key && (await open(sealed, key))) return offerToForget(sealed);
  form.hidden = false;
  form.addEventListener("submit", (event) => submitted(event, sealed));
  form.password.focus();
}

addEventListener("hashchange", () => /^#[0-9a-f]{32}$/.test(location.hash) && location.reload());
begin();
