// Finding pages, by what there is: at once in the static index, then with the function where one answers, and in the list
// of titles where neither does. Both the dialog and the results page search with it.

import { filter } from "./filter.js";
import { searchSite } from "./pagefind.js";
import { apiAddress } from "./service.js";

export const PAUSE = 120; // ms without typing before the function is asked: a fast typist's gap
const REST = 60_000; // ms before a function that did not answer is tried again

export const choices = { mode: "all", kind: "", tag: "", lang: "" };

const BLIND = Object.freeze([]);

const lists = new Map(); // root -> promise of all pages
const silent = new Map(); // endpoint -> until when it is left alone

const subject = (kind) => kind === "entity" || kind === "concept"; // the function proposes passages of articles

const wants = (choice) => (page) => (!choice.kind || page.kind === choice.kind) && (!choice.tag || page.tags.includes(choice.tag)) && (!choice.lang || page.lang === choice.lang);

async function titles({ root, query, choice, limit }) {
  if (!lists.has(root.href)) lists.set(root.href, fetch(new URL("assets/pages.json", root), { credentials: "omit" }).then((reply) => reply.json()));
  try {
    const rows = await lists.get(root.href);
    const pages = rows.map(([title, url, summary, lang, kind, tags]) => ({ title, url: new URL(url, root).href, summary, lang, kind, tags: tags ?? [] }));
    return filter(pages.filter(wants(choice)), query, limit);
  } catch {
    lists.delete(root.href);
    return [];
  }
}

function firstOfEachPage(candidates, limit) {
  const pages = new Map();
  for (const one of candidates) {
    const page = String(one.url).split("#")[0];
    if (!pages.has(page)) pages.set(page, one);
  }
  return [...pages.values()].slice(0, limit);
}

// Returns the pages that the function finds, or null when it does not answer. One that has no vectors knows no meaning.
async function search({ endpoint, query, signal, limit, given }) {
  const url = apiAddress(endpoint, "search");
  url.searchParams.set("q", query);
  url.searchParams.set("limit", "20"); // passages: several may be of one page
  for (const [name, value] of Object.entries(given)) if (value) url.searchParams.set(name, value);
  try {
    const reply = await fetch(url, { signal, credentials: "omit" });
    const found = reply.ok && (reply.headers.get("content-type") ?? "").includes("json") ? await reply.json() : null;
    if (!Array.isArray(found?.candidates)) return null;
    const blind = given.mode === "meaning" && !found.diagnostics?.routes?.length;
    return blind ? BLIND : firstOfEachPage(found.candidates, limit);
  } catch {
    return null;
  }
}

const exact = (query) => `"${query.replaceAll('"', " ")}"`;

async function asked({ endpoint, query, choice, signal, limit }) {
  if (subject(choice.kind) || (silent.get(endpoint) ?? 0) > Date.now()) return null;
  await new Promise((done) => setTimeout(done, PAUSE));
  if (signal.aborted) return null;
  const mode = { exact: "exact", words: "lexical", meaning: "meaning" }[choice.mode];
  const found = await search({ endpoint, query, signal, limit, given: { mode, tag: choice.tag, lang: choice.lang } });
  if (!found && !signal.aborted) silent.set(endpoint, Date.now() + REST);
  return found === BLIND ? null : found;
}

// The function tells places, not text: where the static search has shown words of a place, they stay.
function withWords(found, shown, root) {
  const said = new Map(shown.flatMap((page) => page.said));
  return found.map((page) => ({ ...page, summary: said.get(new URL(page.url, root).href) ?? page.summary }));
}

// Calls `show(pages, lack)` once or twice; `lack` names what the list lacks: "wordsOnly" when only the function knows the
// meaning that is asked for, "titlesOnly" when only titles and summaries were searched, "" when nothing.
export async function find({ endpoint, root, query, choice = choices, signal, limit = 8 }, show) {
  let found = null;
  let shown = [];
  const here = (pages, lack) => signal.aborted || show(pages, lack);
  const better = () => here(withWords(found, shown, root), "");
  const narrowed = Object.values({ ...choice, mode: "" }).some(Boolean);
  const quick = searchSite({ root, limit, query: choice.mode === "exact" ? exact(query) : query, wanted: narrowed ? wants(choice) : null }).then((pages) => {
    shown = pages ?? [];
    if (found) better();
    else if (pages) here(pages, choice.mode === "meaning" ? "wordsOnly" : "");
    return pages;
  });
  found = await asked({ endpoint, query, choice, signal, limit });
  if (found) return better();
  if ((await quick) === null) here(await titles({ root, query, choice, limit }), "titlesOnly");
}

// Returns the pages that are found without the function, from the site's own files.
export async function still({ root, query, limit = 5 }) {
  return (await searchSite({ root, query, limit })) ?? titles({ root, query, choice: choices, limit });
}
