// What a reader takes along: an answer as Markdown with its sources, and an address that asks a question, never an answer.

import { address, named, place, readable } from "./cite.js";

const plainly = (text) => text.replace(/[[\]\\]/g, "\\$&").replace(/\s+/g, " ");

export function markdown({ question, answer }, base) {
  const { marks, cited } = place(answer);
  let text = "";
  let from = 0;
  for (const { at, cites } of marks) {
    text += answer.answer.slice(from, at) + cites.map(({ number }) => ` [${number}]`).join("");
    from = at;
  }
  const sources = cited.map((source, index) => {
    const quote = answer.citations.find((one) => one.evidence === source.id).text;
    return `${index + 1}. [${plainly(named(source))}](${address(source.url, "", base) ?? ""}): “${plainly(readable(quote))}”`;
  });
  return [`**${plainly(question)}**`, text + answer.answer.slice(from), sources.join("\n")].filter(Boolean).join("\n\n") + "\n";
}

// The site's home page fills the question in and waits: following a link spends nothing.
export function shareable(question, base) {
  const url = new URL(base);
  url.searchParams.set("ask", question);
  return url.href;
}
