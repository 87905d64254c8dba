// The two requests the widget makes. Failures come back as the key of a sentence in strings.js.

import { events } from "./stream.js";

export function apiAddress(endpoint, path) {
  const root = new URL(endpoint || "./", document.baseURI);
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  return new URL(`api/public/${path}`, root);
}

// Asks, and hands each event to `dispatch` as it comes. Never throws.
export async function ask({ endpoint, question, lang, conversation, signal }, dispatch) {
  const body = { question, stream: true, lang: /^zh/i.test(lang) ? "zh" : "en", ...(conversation && { conversation }) };
  try {
    const reply = await fetch(apiAddress(endpoint, "qa/chat"), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream, application/json" },
      body: JSON.stringify(body),
      credentials: "omit",
      signal,
    });
    const kind = reply.headers.get("content-type") ?? "";
    if (!reply.ok) dispatch({ type: "fail", key: failure(reply.status, kind) });
    else if (kind.includes("text/event-stream")) for await (const event of events(reply.body)) dispatch(event);
    else if (kind.includes("json")) dispatch({ type: "data-answer", data: await reply.json() });
    else dispatch({ type: "fail", key: "absent" });
    dispatch({ type: "end" });
  } catch (error) {
    dispatch(signal.aborted ? { type: "stop" } : { type: "fail", key: error instanceof SyntaxError ? "cut" : "offline" });
  }
}

// A web host without the function answers 404 or 405 with a page; the function answers with problem details.
function failure(status, kind) {
  if (status === 429) return "busy";
  if (!kind.includes("json")) return status >= 500 && status !== 501 ? "broken" : "absent";
  if (status === 503) return "absent";
  return status >= 500 ? "broken" : "refused";
}

function firstOfEachPage(candidates, limit) {
  const pages = new Map();
  for (const one of candidates) {
    const page = String(one.url).split("#")[0];
    if (!pages.has(page)) pages.set(page, one);
  }
  return [...pages.values()].slice(0, limit);
}

// Returns the pages found for `query`, or null when the function does not answer.
export async function search({ endpoint, query, signal, limit = 8, given = {} }) {
  const url = apiAddress(endpoint, "search");
  url.searchParams.set("q", query);
  url.searchParams.set("limit", "20"); // passages: several may be of one page
  for (const [name, value] of Object.entries(given)) if (value) url.searchParams.set(name, value);
  try {
    const reply = await fetch(url, { signal, credentials: "omit" });
    const found = reply.ok && (reply.headers.get("content-type") ?? "").includes("json") ? await reply.json() : null;
    return Array.isArray(found?.candidates) ? firstOfEachPage(found.candidates, limit) : null;
  } catch {
    return null;
  }
}
