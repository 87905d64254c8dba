// The requests the widget makes, all to the endpoint. Failures come back as the key of a sentence, never as an exception.

import { events } from "./stream.js";

const request = globalThis.fetch.bind(globalThis); // as it was when this loaded, whatever the page makes of it later
const SILENCE = 30_000; // ms without a byte; a function that is at work sends a comment every ten seconds

export function apiAddress(endpoint, path) {
  const root = new URL(endpoint || "./", document.baseURI);
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  return new URL(`api/public/${path}`, root);
}

async function sha256(bytes) {
  const found = await (crypto.subtle ?? (await import("./sha256.js"))).digest("SHA-256", bytes);
  return [...new Uint8Array(found)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const pass = {}; // headers that work.js fills in, where a function wants work before it answers

// A CDN that signs requests to the function takes the body's hash from this header.
async function post(endpoint, path, { body, signal, more }) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const headers = { "content-type": "application/json", "x-amz-content-sha256": await sha256(bytes), ...more, ...pass };
  const send = () => request(apiAddress(endpoint, path), { method: "POST", body: bytes, credentials: "omit", signal, headers });
  const reply = await send();
  return reply.status === 403 ? (await import("./work.js")).work(reply, send, signal, headers, pass) : reply;
}

// Asks, and hands each event to `dispatch` as it comes. Never throws.
export async function ask({ endpoint, root, question, lang, scope, conversation, signal }, dispatch) {
  const body = { question, stream: true, lang: /^zh/i.test(lang) ? "zh" : "en", ...(scope && { scope }), ...(conversation && { conversation }) };
  const silent = new AbortController();
  let timer;
  const alive = () => (clearTimeout(timer), (timer = setTimeout(() => silent.abort(), SILENCE)));
  let begun = false;
  alive();
  try {
    const send = (more) => post(endpoint, "qa/chat", { body, signal: AbortSignal.any([signal, silent.signal]), more });
    const reply = new URL(root).origin === location.origin ? await (await import("./renewal.js")).agreed(root, send) : await send();
    const kind = reply.headers.get("content-type") ?? "";
    begun = reply.ok;
    if (!reply.ok) dispatch({ type: "fail", ...(await refusal(reply, kind)) });
    else if (kind.includes("text/event-stream")) for await (const event of events(reply.body, alive)) dispatch(event);
    else if (kind.includes("json")) dispatch({ type: "data-answer", data: await reply.json() });
    else dispatch({ type: "fail", key: "absent" });
    dispatch({ type: "end" });
  } catch {
    dispatch({ type: "fail", key: lost(begun && !silent.signal.aborted) }); // nobody listens who has aborted it
  } finally {
    clearTimeout(timer);
  }
}

const lost = (cut) => (navigator.onLine === false ? "offline" : cut ? "cut" : "unreachable");

// A web host without the function answers 404 or 405 with a page; the function answers with problem details, which point
// at the field it does not know when it is of another version.
async function refusal(reply, kind) {
  const { status, headers } = reply;
  if (status === 429) return { key: "busy", wait: Number(headers.get("retry-after")) || 0 };
  if (status === 409) return { key: "version" };
  if (status === 413) return { key: "refused" };
  const json = kind.includes("json");
  if (status >= 500) return { key: status === (json ? 503 : 501) ? "absent" : "broken" };
  if (!json) return { key: "absent" };
  const { pointer } = await reply.json();
  return { key: pointer && pointer !== "/question" ? "version" : "refused" };
}

// Returns the text behind a locator, or null.
export async function passage(endpoint, locator) {
  try {
    const reply = await post(endpoint, "read", { body: { locators: [locator] } });
    const text = reply.ok && (await reply.json()).evidence?.[0]?.text;
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}

// Tells the owner whether an answer helped; returns whether it was taken.
export async function feedback(endpoint, body) {
  return (await post(endpoint, "feedback", { body }).catch(() => ({}))).ok;
}
