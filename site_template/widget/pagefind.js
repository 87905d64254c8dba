// Search without the function: Pagefind's shards of the public pages, merged in the browser. Loaded at the first query.

// An identifier is indexed in its parts, and every part must be on the page.
const JOINTS = /[_.:/\\-]+/g;

let opened = null; // one promise for the whole page: Pagefind keeps its state in its module

async function open(root) {
  const folder = new URL("pagefind/", root);
  const reply = await fetch(new URL("shards.json", folder));
  if (reply.status === 404) return null; // the site was built without it
  const shards = await reply.json();
  const [first, ...rest] = shards.map((name) => new URL(`${name}/`, folder).href);
  if (!first) return null;
  const pagefind = await import(`${first}pagefind.js`);
  await pagefind.options({ baseUrl: "/", excerptLength: 24 });
  await pagefind.init();
  await Promise.all(rest.map((shard) => pagefind.mergeIndex(shard, { baseUrl: "/" })));
  return pagefind;
}

const LOOSE = /^[\p{Pe}\p{Pf}\p{Po}\s]+/u; // an excerpt begins anywhere, also before a comma

const LOOKED_AT = 80; // results of which the kind and the tags are looked up

const WORDS = /(?<![\p{L}\p{N}])[\p{L}\p{N}]|\p{sc=Han}/gu;

// What stands in a section, without the heading, or its last words, with which an excerpt may begin.
function text({ title, plain_excerpt: words }) {
  const ends = [...title.matchAll(WORDS)].map(({ index }) => title.slice(index));
  return words.slice(ends.find((end) => words.startsWith(end))?.length ?? 0).replace(LOOSE, "");
}

// One result: the section in which the words stand most often, and in `said` what stands in each, by address.
function page({ meta, plain_excerpt, sub_results: parts }, root) {
  const top = new URL(meta.url, root);
  const at = (part) => new URL(new URL(part.url, root).hash, top).href;
  const [best] = [...parts].sort((a, b) => b.locations.length - a.locations.length);
  return {
    title: meta.title,
    url: best ? at(best) : top.href,
    section: best ? [best.title] : [],
    summary: text(best ?? { title: meta.title, plain_excerpt }),
    said: parts.map((part) => [at(part), text(part)]),
    lang: meta.lang,
    kind: meta.kind,
    tags: JSON.parse(meta.tags || "[]"),
  };
}

const pages = async (results, root) => (await Promise.all(results.map((one) => one.data()))).map((one) => page(one, root));

// Returns the pages found for `query`, or null when the site has no static search. `wanted` narrows them.
export async function searchSite({ root, query, wanted = null, limit = 8 }) {
  opened ??= open(root);
  try {
    const pagefind = await opened;
    if (!pagefind) return null;
    const { results } = await pagefind.search(query.replace(JOINTS, " "));
    if (!wanted) return await pages(results.slice(0, limit), root);
    return (await pages(results.slice(0, LOOKED_AT), root)).filter(wanted).slice(0, limit);
  } catch {
    opened = null;
    return null;
  }
}
