// Draws diagrams for the page around it. The frame is sandboxed and has no origin: whatever a diagram makes Mermaid do, it can
// reach neither the site nor a network, and what comes out is shown as an image, in which nothing runs.

(function () {
  const STRICT = {
    startOnLoad: false, securityLevel: "strict", htmlLabels: false, suppressErrorRendering: true,
    // what a diagram may not set for itself, above Mermaid's own list
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering", "htmlLabels", "flowchart", "class",
      "dompurifyConfig", "themeCSS", "fontFamily", "altFontFamily"],
  };
  // A tag in a label is text: Mermaid measures labels as HTML before it cleans them. <br> is how a label has lines.
  const TAG = /(?<!<)<(?=[a-z/!?])(?!br\s*\/?>)/gi;

  async function drawn(name, source, dark) {
    mermaid.initialize({ ...STRICT, theme: dark ? "dark" : "neutral", deterministicIds: true, fontFamily: "system-ui, sans-serif" });
    const { svg } = await mermaid.render(name, source.replace(TAG, "#lt;"));
    const picture = new DOMParser().parseFromString(svg, "text/html").querySelector("svg"); // inert: runs and loads nothing
    const [, , width, height] = picture.getAttribute("viewBox").split(/[\s,]+/);
    picture.setAttribute("width", Math.ceil(width));
    picture.setAttribute("height", Math.ceil(height));
    return new XMLSerializer().serializeToString(picture);
  }

  let last = Promise.resolve(); // Mermaid draws one at a time

  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    const { number, source, dark } = event.data;
    const answer = (picture) => parent.postMessage({ number, dark, picture }, "*");
    last = last.then(() => drawn(`d${number}`, source, dark)).then(answer, () => answer(""));
  });
  parent.postMessage({ ready: true }, "*");
})();
