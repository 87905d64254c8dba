// What came from outside as values of one shape: an endpoint of another version, a damaged stream or storage cannot break
// the widget. Nothing is trusted to be there, and nothing is kept that is not used.

export const LONGEST = 60_000; // characters of an answer that are shown

const isText = (value) => typeof value === "string";
const text = (value) => (isText(value) ? value : "");
const list = (value, good) => (Array.isArray(value) ? value.filter(good) : []);
const isPlace = (value) => isText(value?.title) && isText(value.url);
const placed = ({ title, url, section, lang }) => ({ title, url, section: list(section, isText), lang: text(lang) });
const offset = (value) => (Number.isInteger(value) && value >= 0 ? value : 0);

// Returns an answer, or null for what is none.
export function shaped(value) {
  if (!isText(value?.answer)) return null;
  return {
    status: text(value.status),
    answer: value.answer.slice(0, LONGEST),
    evidence: list(value.evidence, (one) => isPlace(one) && isText(one.id)).map((one) => ({ ...placed(one), id: one.id, locator: text(one.locator) })),
    citations: list(value.citations, (one) => isText(one?.evidence) && isText(one.quote)).map((one) => ({ evidence: one.evidence, quote: one.quote, text: text(one.text) || one.quote, start: offset(one.start), end: offset(one.end) })),
    uncertainties: list(value.uncertainties, isText),
    confidence: Number.isFinite(value.confidence) ? value.confidence : null,
    follow_ups: list(value.follow_ups, isText).slice(0, 5),
    nearest: list(value.nearest, isPlace).map(placed).slice(0, 8),
    degraded: list(value.degraded ?? value.diagnostics?.degraded, isText),
    queries: list(value.diagnostics?.queries, isText),
    build_id: text(value.build_id),
    conversation: text(value.conversation) || null,
  };
}

function ended(turn) {
  const answer = shaped(turn?.answer);
  const done = turn?.phase === "done";
  if (!isText(turn?.question) || (done && !answer)) return null;
  return { question: turn.question, scope: turn.scope ?? null, before: text(turn.before) || null, phase: done ? "done" : "stopped", steps: list(turn.steps, isText), text: text(turn.text), answer, error: null, found: null, verdict: text(turn.verdict) || null };
}

// Returns the state that was put into storage, or null. What had not ended has stopped: only a click asks again.
export function restored(value) {
  const turns = list(value?.turns, () => true).map(ended);
  return turns.length && turns.every(Boolean) ? { turns, conversation: text(value.conversation) || null, editing: false } : null;
}
