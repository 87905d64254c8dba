// Search without the function: Pagefind's shards of the public pages, merged in the browser. Loaded at the first query.

const MOST = 8; // pages in the dialog

// An identifier is indexed in its parts, and every part must be on the page.
const JOINTS = /[_.:/\\-]+/g;

let opened = null; // one promise for the whole page: Pagefind keeps its state in its module

async function open(root) {
  const folder = new URL("pagefind/", root);
  const shards = await (await fetch(new URL("shards.json", folder))).json();
  const [first, ...rest] = shards.map((name) => new URL(`${name}/`, folder).href);
  if (!first) return null;
  const pagefind = await import(`${first}pagefind.js`);
  await pagefind.options({ baseUrl: "/", excerptLength: 24 });
  await pagefind.init();
  await Promise.all(rest.map((shard) => pagefind.mergeIndex(shard, { baseUrl: "/" })));
  return pagefind;
}

// Returns the pages found for `query`, or null when the site has no static search.
export async function searchSite({ root, query }) {
  opened ??= open(root);
  try {
    const pagefind = await opened;
    if (!pagefind) return null;
    const { results } = await pagefind.search(query.replace(JOINTS, " "));
    const found = await Promise.all(results.slice(0, MOST).map((one) => one.data()));
    return found.map(({ meta, plain_excerpt: summary }) => ({ title: meta.title, url: new URL(meta.url, root).href, summary, lang: meta.lang }));
  } catch {
    opened = null;
    return null;
  }
}
