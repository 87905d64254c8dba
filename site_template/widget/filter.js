// Finding pages by title and summary in the browser: every word typed must occur; Han text may run on without spaces,
// so a run that is not found whole counts by its pairs of characters.

import { make } from "./render.js";

const fold = (text) => text.normalize("NFKC").toLowerCase();
const HAN = /^\p{Script=Han}{3,}$/u;

export const terms = (query) => fold(query).split(/[\s，。、？！,.?!]+/u).filter(Boolean);
const pairs = (term) => [...term].slice(1).map((char, i) => [...term][i] + char);

// Returns how well `text` holds `term`: 1 for the whole, less for a part of a Han run, 0 for too little.
function holds(text, term) {
  if (text.includes(term)) return 1;
  if (!HAN.test(term)) return 0;
  const all = pairs(term);
  const share = all.filter((pair) => text.includes(pair)).length / all.length;
  return share >= 0.3 ? share * 0.8 : 0;
}

export function filter(pages, query, limit = 8) {
  const wanted = terms(query);
  const scored = pages.map((page) => {
    const title = fold(page.title);
    const all = `${title} ${fold(page.summary ?? "")}`;
    const scores = wanted.map((term) => Math.max(2 * holds(title, term), holds(all, term)));
    return { page, score: scores.every(Boolean) ? scores.reduce((a, b) => a + b, 0) : 0 };
  });
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, limit).map(({ page }) => page);
}

// Returns text with the words of the query inside <mark>.
export function marked(text, query) {
  const shown = text ?? "";
  const wanted = terms(query).flatMap((term) => (HAN.test(term) && !fold(shown).includes(term) ? pairs(term) : [term]));
  if (!wanted.length) return [shown];
  const escaped = wanted.sort((a, b) => b.length - a.length).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return shown.split(new RegExp(`(${escaped.join("|")})`, "iu")).map((part, i) => (i % 2 ? make("mark", {}, part) : part));
}
