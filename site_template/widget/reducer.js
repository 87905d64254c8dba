// The widget's state as a value: what was asked, what came. Pure: no DOM, no clock, no network.
// A turn: { question, phase: "working" | "done" | "failed" | "stopped", steps: [text], text, answer, error }

export const KEPT_TURNS = 5;
export const initial = Object.freeze({ turns: [], conversation: null });

const last = (state) => state.turns.at(-1);
const working = (state) => last(state)?.phase === "working";
const change = (state, fields) => ({ ...state, turns: [...state.turns.slice(0, -1), { ...last(state), ...fields }] });

export function reduce(state, event) {
  switch (event.type) {
    case "ask": {
      if (working(state)) return state;
      const turn = { question: event.question, phase: "working", steps: [], text: "", answer: null, error: null };
      return { ...state, turns: [...state.turns, turn].slice(-KEPT_TURNS) };
    }
    case "clear":
      return initial;
    case "restore":
      return valid(event.state) ? event.state : state;
    default:
      return working(state) ? progress(state, event) : state;
  }
}

// What may happen to a question that is being answered. Unknown parts of the stream are ignored.
function progress(state, event) {
  switch (event.type) {
    case "data-step":
      return event.data?.text ? change(state, { steps: [...last(state).steps, String(event.data.text)] }) : state;
    case "text-delta":
      return change(state, { text: last(state).text + String(event.delta ?? "") });
    case "data-answer": {
      const answer = event.data;
      return { ...change(state, { phase: "done", answer, text: answer.answer }), conversation: answer.conversation ?? null };
    }
    case "error":
      return change(state, { phase: "failed", error: { key: "broken", text: event.errorText } });
    case "fail":
      return change(state, { phase: "failed", error: { key: event.key } });
    case "stop":
      return change(state, { phase: "stopped" });
    case "end":
      return change(state, { phase: "failed", error: { key: "cut" } }); // the stream ended without an answer
    default:
      return state;
  }
}

// A state that came back from storage is data from outside: only finished turns of the right shape are taken.
function valid(state) {
  const good = (turn) => typeof turn?.question === "string" && turn.phase === "done" && typeof turn.answer?.answer === "string";
  return Array.isArray(state?.turns) && state.turns.every(good);
}

// What is worth keeping while the reader moves from page to page of this site, in this tab.
export function keepable(state) {
  const turns = state.turns.filter((turn) => turn.phase === "done");
  return { turns: turns.map((t) => ({ ...t, answer: { ...t.answer, diagnostics: { degraded: degraded(t.answer) } } })), conversation: state.conversation };
}

export const degraded = (answer) => (Array.isArray(answer?.diagnostics?.degraded) ? answer.diagnostics.degraded : []);
