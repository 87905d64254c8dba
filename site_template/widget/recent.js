// The last searches, kept in this browser alone.

const KEY = "geosmin-recent";
const MOST = 6;

export function recent() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return []; // storage is blocked, or holds something of another page
  }
}

export function remember(query) {
  const kept = [query, ...recent().filter((one) => one !== query)].slice(0, MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Storage is blocked: nothing is remembered.
  }
}

export function forget() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked: there is nothing to forget.
  }
}
