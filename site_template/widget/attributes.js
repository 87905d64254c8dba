// What the attributes of the element say, as values.

const NOTHING = { articles: [] }; // a scope that cannot be read widens nothing

// Returns the scope of a question: what the attribute says (JSON), narrowed to one article when there is one; or null.
export function scopeOf(text, article) {
  try {
    const given = JSON.parse(text || "null");
    return article ? { ...given, articles: [article] } : given;
  } catch {
    return NOTHING;
  }
}

// Returns the starters: a JSON list, or questions parted by "|".
export function startersOf(text) {
  try {
    return JSON.parse(text || "[]").slice(0, 4).map(String);
  } catch {
    return text.split("|");
  }
}
