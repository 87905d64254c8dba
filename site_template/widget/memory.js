// The conversation of this tab: it follows the reader from page to page, and nobody else ever sees it.

// What is worth keeping: the values that are shown, without what only this page knows.
const kept = ({ turns, conversation }) => ({ conversation, turns: turns.map(({ found, error, ...turn }) => turn) });

export function keep(key, state) {
  try {
    state.turns.length ? sessionStorage.setItem(key, JSON.stringify(kept(state))) : sessionStorage.removeItem(key);
  } catch {
    // Storage is blocked or full: the conversation lasts for this page.
  }
}

export function remembered(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null; // blocked, or of another program
  }
}
