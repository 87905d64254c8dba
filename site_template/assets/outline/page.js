// The tree of sections: folds, arrow keys, and addresses. An article's sections are fetched when it is opened.

const tree = document.getElementById("g-outline");
const shards = new Map(); // name -> promise of its sections by URL

const own = (item, selector) => item.querySelector(`:scope > .g-branch > ${selector}`);
const list = (item) => item.querySelector(":scope > ul");
const parent = (item) => item.parentElement.closest("li");

function shard(name) {
  const address = new URL(`${tree.dataset.src}${name}.json`, document.baseURI);
  if (!shards.has(name)) shards.set(name, fetch(address, { credentials: "omit" }).then((reply) => reply.json()));
  return shards.get(name);
}

function make(tag, props, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

// The sections of an article as nested lists, by their levels.
function sections(rows, href) {
  const root = make("ul", {});
  const open = [{ level: 0, list: root }];
  for (const [level, title, anchor, summary] of rows) {
    while (open.at(-1).level >= level) open.pop();
    const link = make("a", { href: `${href}#${encodeURIComponent(anchor)}`, textContent: title });
    const text = summary && summary !== title ? [make("p", { textContent: summary })] : [];
    const item = make("li", {}, make("div", { className: "g-branch" }, link, ...text));
    item.dataset.anchor = anchor;
    const last = open.at(-1);
    last.list ??= addList(last.item);
    last.list.append(item);
    open.push({ level, item });
  }
  return root;
}

function addFold(item, opened) {
  const fold = make("button", { className: "g-fold", type: "button" });
  fold.setAttribute("aria-expanded", String(opened));
  fold.setAttribute("aria-label", own(item, ":is(a, span)").textContent);
  item.firstElementChild.prepend(fold);
}

function addList(item) {
  addFold(item, true);
  return item.appendChild(make("ul", {}));
}

async function fill(item) {
  const { shard: name, url } = item.dataset;
  if (!name) return;
  delete item.dataset.shard;
  try {
    const made = sections((await shard(name))[url] ?? [], own(item, "a").href);
    list(item) ? list(item).prepend(...made.children) : item.append(made);
  } catch {
    item.dataset.shard = name; // the network failed: opening it again tries again
    shards.delete(name);
  }
}

async function open(item, on = true) {
  const fold = own(item, ".g-fold");
  if (!fold) return;
  if (on) await fill(item);
  fold.setAttribute("aria-expanded", String(on));
  if (list(item)) list(item).hidden = !on;
}

const isOpen = (item) => own(item, ".g-fold")?.getAttribute("aria-expanded") === "true";
const link = (item) => own(item, "a") ?? own(item, ".g-fold");
const visible = () => [...tree.querySelectorAll("li")].filter((item) => item.offsetParent);

function mark(item) {
  const article = item.closest("li[data-url]");
  const at = item.dataset.anchor ? `${article.dataset.url}#${item.dataset.anchor}` : article.dataset.url;
  if (at) history.replaceState(null, "", `#${encodeURI(at).replaceAll("#", "%23")}`);
}

const KEYS = {
  ArrowDown: (item, all) => all[all.indexOf(item) + 1],
  ArrowUp: (item, all) => all[all.indexOf(item) - 1],
  Home: (item, all) => all[0],
  End: (item, all) => all.at(-1),
  ArrowRight: (item) => (isOpen(item) ? item.querySelector("li") : void open(item)),
  ArrowLeft: (item) => (isOpen(item) ? void open(item, false) : parent(item)),
};

tree?.addEventListener("click", async (event) => {
  const item = event.target.closest(".g-fold")?.closest("li");
  if (!item) return;
  await open(item, !isOpen(item));
  mark(item);
});
tree?.addEventListener("keydown", (event) => {
  const item = event.target.closest("li");
  if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const next = KEYS[event.key](item, visible());
  if (next) (link(next).focus(), mark(next));
});
for (const [name, on] of [["[data-open]", true], ["[data-close]", false]]) {
  document.querySelector(name)?.addEventListener("click", () => {
    for (const item of tree.querySelectorAll("li[data-url]")) if (list(item)) open(item, on);
  });
}

// outline/#guide/start/ opens that article, and guide/start/%23anchor one of its sections.
async function follow() {
  const [url, anchor] = decodeURIComponent(location.hash.slice(1)).split("#");
  const article = url && [...tree.querySelectorAll("li[data-url]")].find((item) => item.dataset.url === url);
  if (!article) return;
  await open(article);
  const item = (anchor && [...article.querySelectorAll("li[data-anchor]")].find((one) => one.dataset.anchor === anchor)) || article;
  for (let up = parent(item); up; up = parent(up)) await open(up);
  link(item).focus();
  item.scrollIntoView({ block: "center" });
}

for (const item of tree?.querySelectorAll("li") ?? []) if (list(item) || item.dataset.shard) addFold(item, Boolean(list(item)));
if (tree) (follow(), addEventListener("hashchange", follow));
