// Where citation numbers go. The answer's sentences are the quotes in plain words, so a quote is found in the answer by
// its letters and digits alone; the number is set after the sentence that ends it, never inside a word.

const LETTER = /[\p{L}\p{N}]/u;
const SENTENCE_END = /[。！？；!?\n]|[.;](?=\s|$)/uy;
const CLOSING = /[”’"')\]）】」』》]/u;

function letters(text) {
  const kept = [];
  const at = [];
  let index = 0;
  for (const char of text) {
    if (LETTER.test(char)) {
      const folded = char.toLowerCase();
      kept.push(folded);
      for (let i = 0; i < folded.length; i++) at.push(index);
    }
    index += char.length;
  }
  return { text: kept.join(""), at };
}

function endOfSentence(text, from) {
  const ends = (at) => ((SENTENCE_END.lastIndex = at), SENTENCE_END.test(text));
  let index = from;
  while (index < text.length && !ends(index)) index++;
  while (index < text.length && ends(index) && text[index] !== "\n") index++;
  while (index < text.length && CLOSING.test(text[index])) index++;
  return index;
}

// Returns [{ at, cites: [{ number, citation }] }] in the order of the text, and the cited evidence in the order of its numbers.
export function place(answer) {
  const text = answer.answer;
  const plain = letters(text);
  const numbers = new Map();
  const marks = new Map();
  let from = 0;
  for (const citation of answer.citations ?? []) {
    if (!answer.evidence?.some((item) => item.id === citation.evidence)) continue;
    if (!numbers.has(citation.evidence)) numbers.set(citation.evidence, numbers.size + 1);
    const quote = letters(citation.text ?? citation.quote ?? "").text;
    let found = quote ? plain.text.indexOf(quote, from) : -1;
    if (found < 0 && quote) found = plain.text.indexOf(quote);
    if (found >= 0) from = found + quote.length;
    const at = found >= 0 ? endOfSentence(text, plain.at[found + quote.length - 1] + 1) : text.length;
    const number = numbers.get(citation.evidence);
    if (!marks.has(at)) marks.set(at, new Map());
    if (!marks.get(at).has(number)) marks.get(at).set(number, { number, citation });
  }
  const placed = [...marks].sort(([a], [b]) => a - b).map(([at, cites]) => ({ at, cites: [...cites.values()] }));
  return { marks: placed, cited: [...numbers.keys()].map((id) => answer.evidence.find((item) => item.id === id)) };
}

// Returns a quote in Markdown as a reader sees it: without the marks of emphasis, code and links.
export function readable(quote) {
  const text = quote.replace(/^\s*(?:`{3,}|~{3,}).*$/gm, "").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]+|(?<=^|\s)_|_(?=\s|$)/g, "");
  return text.replace(/^[\s>|#-]+/, "").replace(/\s+/g, " ").trim();
}

// The browser finds a fragment only letter by letter and on word boundaries: the longest run between marks and stops.
function findable(quote) {
  const runs = quote.split(/[*`[\]()<>|#~!\n\\]+|(?<=\s)_|_(?=\s)|[，。；：？,;:?]+|\.\s/u).map((run) => run.trim());
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  return longest.length > 80 ? longest.slice(0, 80).replace(/\s+\S*$/, "") : longest;
}

// Returns a link's address with a text fragment, so that the browser shows the quoted words; null for any other site.
export function address(url, quote, base) {
  let link;
  try {
    link = new URL(url, base);
  } catch {
    return null;
  }
  if (!/^https?:$/.test(link.protocol) || link.origin !== new URL(base).origin) return null;
  const words = findable(quote ?? "");
  if (words) link.hash = `${link.hash || "#"}:~:text=${encodeURIComponent(words).replaceAll("-", "%2D")}`;
  return link.href;
}

// Returns a place as words: its page, and the headings on the way to it.
export function named({ title, section }) {
  const path = (section ?? []).filter((part) => part !== title);
  return path.length ? `${title} › ${path.join(" › ")}` : title;
}
