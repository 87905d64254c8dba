// A quiet mark beside each heading: a link to it, and a click copies the address.

export function linkHeadings() {
  const { heading, copied } = document.body.dataset;
  for (const head of document.querySelectorAll(".g-text :is(h2, h3, h4, h5, h6)[id]")) {
    if (head.closest(".g-embed")) continue;
    const title = head.textContent.trim();
    const link = Object.assign(document.createElement("a"), { className: "g-anchor", href: `#${encodeURIComponent(head.id)}`, textContent: "#" });
    link.setAttribute("aria-label", heading.replace("{title}", title));
    link.dataset.done = copied;
    link.addEventListener("click", () => copyAddress(link));
    head.append(link);
  }
}

async function copyAddress(link) {
  try {
    await navigator.clipboard.writeText(link.href);
  } catch {
    return; // not allowed here: following the link puts the address into the bar
  }
  link.classList.add("g-done");
  setTimeout(() => link.classList.remove("g-done"), 1500);
}
