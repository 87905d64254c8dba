// One question and what came of it, as DOM. `given`: t (words), base (the site's root), blank (link attributes that
// open a new tab), read (fetches a passage), and what a reader can do: ask, again, edit, rate, reason, copy, share.

import { address, named, place, readable } from "./cite.js";
import { chip } from "./card.js";
import { button, make, prose, questions } from "./render.js";

export function turn(item, given) {
  const { t } = given;
  const parts = [make("h3", { class: "question" }, item.question)];
  if (item.scope?.articles) parts.push(quiet(t.hereOnly));
  if (item.steps.length) parts.push(steps(item, t));
  else if (item.phase === "working") parts.push(quiet(t.working));
  if (item.answer) parts.push(...answer(item, given));
  else if (item.text) parts.push(make("div", { class: "answer" }, ...prose(item.text)));
  if (item.phase === "stopped") parts.push(quiet(t.stopped));
  if (item.error) parts.push(...problem(item, given));
  if (item.phase !== "working") parts.push(actions(item, given));
  if (item.answer?.follow_ups.length) parts.push(questions(item.answer.follow_ups, t.followUps, given.ask));
  return make("article", { class: "turn" }, ...parts);
}

const quiet = (...children) => make("p", { class: "quiet" }, ...children);

// While it works: one grey line a step. Afterwards they fold into "3 steps".
function steps(item, t) {
  const lines = make("ul", { class: "steps" }, ...item.steps.map((text) => make("li", {}, text)));
  if (item.phase === "working" && !item.text) return lines;
  return make("details", { class: "quiet" }, make("summary", {}, t.steps(item.steps.length)), lines);
}

function answer({ question, answer: value }, given) {
  const { t, base, blank } = given;
  const { marks, cited } = place(value);
  const cite = ({ number, citation }) => chip(number, { ...given, source: cited[number - 1], citation });
  const text = make("div", { class: "answer" }, ...prose(value.answer, marks, cite));
  const parts = value.status === "no_answer" ? [make("div", { class: "help" }, text, value.nearest.length ? pages(value.nearest, t.nearest, given) : null, search(question, given))] : [text];
  const notes = said(value, t);
  if (notes.length) parts.push(make("ul", { class: "notes" }, ...notes.map((note) => make("li", {}, note))));
  if (cited.length) parts.push(sources(cited, { t, base, blank, citations: value.citations }));
  return parts;
}

const SURE = 0.8;
const UNSURE = 0.65; // below, the function says itself that the answer may be inaccurate

// What to know before relying on the answer, each once.
function said({ confidence, citations, degraded, status, uncertainties }, t) {
  const notes = [...uncertainties];
  if (citations.length && confidence >= UNSURE) notes.push(confidence >= SURE ? t.close_match : t.fair_match);
  const spent = degraded.some((name) => name === "limit:budget" || name === "model_off");
  if (spent) notes.push(t.spent);
  else if (status === "degraded") notes.push(t.degraded);
  if (!spent && degraded.includes("no_model") && citations.length) notes.push(t.noModel);
  return [...new Set(notes)];
}

const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

function sources(cited, { t, base, blank, citations }) {
  const rows = cited.map((source) => {
    const quotes = [...new Set(citations.filter((one) => one.evidence === source.id).map((one) => one.text))];
    const href = address(source.url, quotes[0], base);
    const name = href ? make("a", { href, ...blank }, named(source)) : named(source);
    return make("li", { lang: source.lang }, name, ...quotes.slice(0, 3).map((quote) => make("q", {}, short(readable(quote)))));
  });
  return make("details", { class: "sources", open: true }, make("summary", {}, t.sources), make("ol", {}, ...rows));
}

function pages(list, title, { base, blank }) {
  const links = list.map((page) => [page, address(page.url, "", base)]).filter(([, href]) => href);
  const rows = links.map(([page, href]) => make("li", {}, make("a", { href, ...blank, lang: page.lang || null }, named(page))));
  return make("section", { class: "sources" }, make("h4", {}, title), make("ul", {}, ...rows));
}

function search(question, { t, base, blank }) {
  const url = new URL("search/", base);
  url.searchParams.set("q", question.slice(0, 500));
  return make("p", {}, make("a", { href: url.href, ...blank }, t.searchFor));
}

function problem({ question, error, found }, given) {
  const { t } = given;
  const sentence = error.key === "busy" && error.wait ? t.wait(error.wait) : (t[error.key] ?? t.broken);
  const results = found?.length ? pages(found, t.instead, given) : null;
  return [make("div", { class: "problem" }, make("p", {}, sentence), results, search(question, given))];
}

function actions(item, given) {
  const { t } = given;
  const after = item.answer ? verdict(item, given) : [];
  const copies = item.answer ? [button(t.copy, (event) => given.copy(item, event.target)), button(t.share, (event) => given.share(item, event.target))] : [];
  const again = [button(t.again, () => given.again(item), { class: "newest" }), button(t.edit, () => given.edit(item), { class: "newest" })];
  return make("div", { class: "actions", role: "group", "aria-label": t.actions }, ...after, ...copies, ...again);
}

// Helpful or not; whoever says not is asked why, and may leave it open.
function verdict(item, { t, rate }) {
  if (item.verdict === "sent" || item.verdict === "lost") return [make("span", { class: "said" }, item.verdict === "sent" ? t.thanks : t.notSent)];
  if (item.verdict !== "asking") return [button(t.up, () => rate(item, "up")), button(t.down, () => rate(item, "asking"))];
  const reasons = t.reasons.map((reason) => button(reason, () => rate(item, "down", reason)));
  return [make("div", { class: "reasons", role: "group", "aria-label": t.why }, make("span", {}, t.why), ...reasons, button(t.noReason, () => rate(item, "down")))];
}
