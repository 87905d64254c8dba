// The page for a frame: its address says how the box looks and where it searches; where it asks is not for others to say.

const box = document.querySelector("geosmin-ask");
const given = new URLSearchParams(location.search);
for (const name of ["lang", "theme", "scope", "placeholder", "starters"]) if (given.has(name)) box.setAttribute(name, given.get(name));
if (given.has("lang")) document.documentElement.lang = given.get("lang");
if (["light", "dark"].includes(given.get("theme"))) document.documentElement.dataset.theme = given.get("theme");

await import("../../widget/geosmin-ask.js"); // after the attributes: the box is built with them
