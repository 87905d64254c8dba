// While a site and its function are being renewed, one may be ahead of the other for a moment: a question on the site's
// own pages names the build they are of, because an answer of another one would lead to pages that are not here.

const RENEWALS = 8; // times that a question is asked again while another build arrives
const RENEWAL = 3_000; // ms between them

async function build(root) {
  try {
    const reply = await fetch(new URL("build.json", root), { cache: "no-cache", credentials: "omit" });
    return reply.ok ? { "x-geosmin-build": String((await reply.json()).build) } : {};
  } catch {
    return {};
  }
}

// Returns the reply of `send`, which is given the header that names the build.
export async function agreed(root, send) {
  for (let left = RENEWALS; ; left -= 1) {
    const reply = await send(await build(root));
    if (reply.status !== 409 || !left) return reply;
    await new Promise((resolve) => setTimeout(resolve, RENEWAL));
  }
}
