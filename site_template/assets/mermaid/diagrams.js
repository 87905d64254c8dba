// Diagrams: a frame without an origin draws them when they come near; they arrive as text and are shown as images.

const blocks = [...document.querySelectorAll("pre.mermaid")];
const wanted = new Set(); // numbers of the blocks that have come near
const waiting = new Map(); // number -> source, until the frame is ready
let frame, ready;

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";

function open() {
  frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("aria-hidden", "true");
  frame.tabIndex = -1;
  frame.className = "g-diagram-frame";
  frame.src = new URL("frame.html", import.meta.url).href;
  document.body.append(frame);
}

function draw(number) {
  wanted.add(number);
  if (!frame) open();
  if (!ready) return waiting.set(number, true);
  frame.contentWindow.postMessage({ number, source: blocks[number].querySelector("code").textContent, dark: isDark() }, "*");
}

function show(number, picture) {
  const block = blocks[number];
  let image = block.closest(".g-diagram")?.querySelector("img");
  if (!image) {
    const figure = Object.assign(document.createElement("figure"), { className: "g-diagram" });
    const source = Object.assign(document.createElement("details"), { className: "g-points" });
    const name = Object.assign(document.createElement("summary"), { textContent: document.body.dataset.diagramSource });
    image = Object.assign(document.createElement("img"), { alt: document.body.dataset.diagram });
    block.replaceWith(figure);
    source.append(name, block);
    figure.append(image, source);
  }
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
}

addEventListener("message", ({ source, data }) => {
  if (!frame || source !== frame.contentWindow) return;
  if (data.ready) {
    ready = true;
    for (const number of waiting.keys()) draw(number);
  } else if (blocks[data.number] && typeof data.picture === "string" && data.picture && data.dark === isDark()) {
    show(data.number, data.picture);
  }
});

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    draw(blocks.indexOf(target));
  }
}, { rootMargin: "600px" });
for (const block of blocks) near.observe(block);

const redraw = () => wanted.forEach(draw);
systemDark.addEventListener("change", redraw);
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
