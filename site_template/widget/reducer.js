// The widget's state as a value: what was asked, what came. Pure: no DOM, no clock, no network.
// A turn: { question, scope, before: the conversation it was asked in, phase: "working" | "done" | "failed" | "stopped",
// steps: [text], text, answer, error: { key, wait }, found: [page] | null, verdict: "asking" | "sent" | "lost" | null }

import { named } from "./cite.js";
import { LONGEST, restored, shaped } from "./shape.js";

export const KEPT_TURNS = 5;
const MOST_STEPS = 40;

export const initial = Object.freeze({ turns: [], conversation: null, editing: false });

const last = (state) => state.turns.at(-1);
export const working = (state) => last(state)?.phase === "working";
const change = (state, fields, at = state.turns.length - 1) => ({ ...state, turns: state.turns.map((turn, index) => (index === at ? { ...turn, ...fields } : turn)) });
const failed = (state, key, wait = 0) => change(state, { phase: "failed", error: { key, wait } });

// Asking again (`replace`) takes the last turn away, and with it what it added to the conversation.
function asked(state, { question, scope = null, replace = false }) {
  const again = replace && last(state);
  const before = again ? again.before : state.conversation;
  const turn = { question, scope, before, phase: "working", steps: [], text: "", answer: null, error: null, found: null, verdict: null };
  return { turns: [...(again ? state.turns.slice(0, -1) : state.turns), turn].slice(-KEPT_TURNS), conversation: before, editing: false };
}

export function reduce(state, event) {
  switch (event.type) {
    case "ask":
      return working(state) ? state : asked(state, event);
    case "edit":
      return last(state) && !working(state) ? { ...state, editing: Boolean(event.on) } : state;
    case "found":
      return last(state)?.phase === "failed" && last(state).question === event.question ? change(state, { found: event.pages }) : state;
    case "verdict":
      return state.turns[event.at]?.answer ? change(state, { verdict: event.verdict }, event.at) : state;
    case "clear":
      return initial;
    case "restore":
      return restored(event.state) ?? state;
    default:
      return working(state) ? progress(state, event) : state;
  }
}

// What may happen to a question that is being answered. Unknown parts of the stream are ignored.
function progress(state, event) {
  const turn = last(state);
  switch (event.type) {
    case "data-step":
      return typeof event.data?.text === "string" && turn.steps.length < MOST_STEPS ? change(state, { steps: [...turn.steps, event.data.text] }) : state;
    case "text-delta":
      return turn.text.length < LONGEST ? change(state, { text: (turn.text + String(event.delta ?? "")).slice(0, LONGEST) }) : state;
    case "data-answer": {
      const answer = shaped(event.data);
      if (!answer) return failed(state, "version");
      const steps = turn.steps.length ? turn.steps : [...answer.queries, ...answer.evidence.map(named)]; // in one piece, without steps
      return { ...change(state, { phase: "done", answer, steps, text: answer.answer }), conversation: answer.conversation };
    }
    case "error":
      return failed(state, "broken");
    case "fail":
      return failed(state, event.key, event.wait);
    case "stop":
      return change(state, { phase: "stopped" });
    case "end":
      return failed(state, "cut"); // the stream ended without an answer
    default:
      return state;
  }
}
