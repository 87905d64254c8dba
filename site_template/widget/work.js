// Work before the first question, where the owner wants it: a nonce is looked for until a hash begins with enough zero
// bits. Hashes are made in slices of a few milliseconds, so that typing and reading stay smooth.

const PASS = "x-geosmin-pass";
const SLICE = 8; // ms
const BATCH = 64; // hashes that are waited for together

const encoder = new TextEncoder();

// Takes a refusal. When work is wanted, does it, sends again with these `headers`, and leaves in `pass` what the next
// questions are sent with.
export async function work(reply, send, signal, headers, pass) {
  if ((await reply.clone().json().catch(() => ({}))).code !== "proof_needed") return reply;
  const given = await fetch(new URL("../session", reply.url), { credentials: "omit", signal });
  if (!given.ok) return reply;
  const { challenge, bits } = await given.json();
  headers[PASS] = await solve(String(challenge), bits, signal);
  const again = await send();
  pass[PASS] = again.headers.get(PASS) ?? "";
  return again;
}

async function solve(challenge, bits, signal) {
  const hasher = crypto.subtle ?? (await import("./sha256.js"));
  let pause = performance.now() + SLICE;
  for (let first = 0; ; first += BATCH) {
    const tried = Array.from({ length: BATCH }, (_, i) => `${challenge}.${first + i}`);
    const hashes = await Promise.all(tried.map((text) => hasher.digest("SHA-256", encoder.encode(text))));
    const found = hashes.findIndex((hash) => zeros(new Uint8Array(hash)) >= bits);
    if (found >= 0) return tried[found];
    signal?.throwIfAborted();
    if (performance.now() > pause) {
      await new Promise((resolve) => setTimeout(resolve));
      pause = performance.now() + SLICE;
    }
  }
}

function zeros(bytes) {
  const at = bytes.findIndex((byte) => byte);
  return at < 0 ? 8 * bytes.length : 8 * at + Math.clz32(bytes[at]) - 24;
}
