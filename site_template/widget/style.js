// The question box's own styles, adopted by its shadow root: no <style> element, so a strict CSP holds. Every colour is a
// variable --geosmin-…, which a page may set; --geosmin-size sets the size of the text.

export const BASE = `
:host { display: block; font-size: var(--geosmin-size, 1rem); line-height: 1.6; color: var(--i); text-align: start;
  --p: var(--geosmin-paper, light-dark(#fbfaf7, #14171b)); --i: var(--geosmin-ink, light-dark(#1d2127, #e2e0da));
  --s2: var(--geosmin-ink-soft, light-dark(#5c6066, #a9a7a1)); --l: var(--geosmin-line, light-dark(#e0dfdb, #2e3238));
  --w: var(--geosmin-wash, light-dark(#f3f1ed, #1c2025)); --m: var(--geosmin-moss, light-dark(#2c6446, #8bc9a2));
  --c: var(--geosmin-clay, light-dark(#99502a, #dda67c)); --k: var(--geosmin-mark, light-dark(#f6e7c8, #4f4225)); }
.launch, .panel { letter-spacing: normal; text-indent: 0; text-transform: none; white-space: normal; }
:host([hidden]) { display: none; }
@media print { :host { display: none; } }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
:host([theme=auto]) { color-scheme: light dark; }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--m); outline-offset: 2px; border-radius: 3px; }
a { color: var(--m); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
h2, h3, h4, p, ul, ol, blockquote { margin: 0; padding: 0; }
ul { list-style: none; }
mark { background: var(--k); color: var(--i); border-radius: 2px; }
.launch { position: fixed; inset-block-end: 1.25em; inset-inline-end: 1.25em; z-index: 9999999; min-block-size: 44px; padding: .5em 1.1em; border: 1px solid var(--m); border-radius: 6px; background: var(--p); color: var(--m); font-weight: 600; }
.launch:hover { background: var(--m); color: var(--p); }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

export const PANEL = `
button { min-block-size: 44px; min-inline-size: 24px; }
.panel { display: flex; flex-direction: column; background: var(--p); color: inherit; }
.sheet { position: fixed; z-index: 9999999; inset: 0 auto; inset-inline-end: 0; width: min(27em, 100vw); max-width: none; height: auto; max-height: none; margin: 0; padding: 0; border: 0; border-inline-start: 1px solid var(--l); }
.sheet:not([open]) { display: none; }
.bar, form, .foot, .foot label, .row, .row a, .actions, .reasons { display: flex; align-items: center; gap: 0 .75em; }
.bar { padding-inline: 1em .25em; border-block-end: 1px solid var(--l); }
h2 { flex: 1; font-size: 1em; font-weight: 650; }
.bar button, .clear { padding-inline: .5em; color: var(--s2); font-size: .875em; }
.find:hover, .bar button:hover, .clear:hover { background: var(--w); }
.log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 0 1em 1em; }
.inline .log { overflow: visible; padding: 0; }

form { align-items: flex-end; gap: .25em; padding: .25em .25em .25em .75em; border: 1px solid var(--s2); border-radius: 6px; }
form:focus-within { border-color: var(--m); box-shadow: 0 0 0 1px var(--m); }
.sheet form { margin: .25em 1em 0; }
textarea { flex: 1; min-width: 0; min-height: 44px; max-height: 9em; padding: .6em 0; border: 0; resize: none; field-sizing: content; background: none; color: inherit; font: inherit; line-height: 1.5; }
form textarea:focus-visible { outline: 0; }
textarea::placeholder { color: var(--s2); opacity: 1; }
.send, .find { padding-inline: .9em; border-radius: 4px; color: var(--m); }
.send { background: var(--m); color: var(--p); font-weight: 600; }
.foot { flex-wrap: wrap; padding-inline: .75em; font-size: .8em; color: var(--s2); }
.sheet .foot { padding-inline: 1.25em; }
.foot label { min-block-size: 44px; cursor: pointer; }
.foot input { inline-size: 1.2em; block-size: 1.2em; }
.note { padding-block: .4em; }
.inline .note { visibility: hidden; }
.inline:focus-within .note, .editing .note { visibility: visible; }
.editing .turn:last-of-type { opacity: .75; }

.turn { padding-block-start: 1em; }
.sheet .turn:last-of-type { min-height: 100%; }
.turn + .turn { margin-block-start: 1.25em; border-block-start: 1px solid var(--l); }
.question { padding-block: .35em; font-size: 1em; font-weight: 650; overflow-wrap: anywhere; }
.sheet .question { position: sticky; inset-block-start: 0; z-index: 1; background: var(--p); }
.question, .answer > *, li, q, blockquote, .plain { unicode-bidi: plaintext; text-align: start; }
.quiet, .steps, .notes, .actions, .copy, .sources, .starters { font-size: .85em; color: var(--s2); }
.quiet, .card, blockquote, .notes, .sources, .starters, .actions { margin-block-start: .5em; }
summary { cursor: pointer; padding-block: .35em; }
.answer, li, q, blockquote { overflow-wrap: anywhere; }
.answer > * + *, .help > * + *, .problem > * + * { margin-block-start: .6em; }
.answer ul, .answer ol, .sources ol { padding-inline-start: 1.75em; }
.answer ul { list-style: disc; }
code { padding: .1em .3em; border-radius: 4px; background: var(--w); font: .88em var(--geosmin-mono, ui-monospace, monospace); }
pre code { padding: 0; }
pre { margin: 0; padding: .6em .5em; border-radius: 6px; background: var(--w); overflow-x: auto; direction: ltr; }
.cite { position: relative; margin-inline: .2em .05em; padding: .1em .4em; border: 1px solid var(--l); border-radius: 4px; font-size: .75em; text-decoration: none; vertical-align: .1em; }
.cite:hover, .cite[aria-expanded=true] { border-color: var(--m); background: var(--w); }
.card { padding: .6em .8em; border: 1px solid var(--l); border-inline-start: 3px solid var(--m); border-radius: 6px; font-size: .9em; }
.card blockquote, q { color: var(--s2); }
.row, .actions, .reasons { flex-wrap: wrap; }
.row a { min-block-size: 44px; }
.notes { padding-inline-start: .75em; border-inline-start: 2px solid var(--c); }
.help, .problem { padding: .75em 1em; border-radius: 6px; background: var(--w); }
.problem { border-inline-start: 3px solid var(--c); }
h4, .label, .sources summary { font-size: 1em; font-weight: 600; }
q { display: block; quotes: none; }
.plain { color: var(--m); text-decoration: underline dotted 1px; text-underline-offset: .2em; }
.actions button { text-decoration: underline 1px var(--l); text-underline-offset: .25em; }
.actions button:hover { color: var(--i); }
.turn:not(:last-of-type) :is(.newest, .starters) { display: none; }
.copy, .copy textarea { display: block; width: 100%; }
.copy textarea { border: 1px solid var(--s2); }
.inline > .starters, .inline > .starters ul { display: flex; flex-wrap: wrap; justify-content: center; gap: 0 1.2em; }
.inline > .starters .label { display: none; }

@media (max-width: 48em) {
  .sheet { inset-block: auto var(--below, 0px); inset-inline: 0; width: auto; height: min(85dvh, var(--seen, 100dvh)); border: 0; border-block-start: 1px solid var(--s2); border-radius: 10px 10px 0 0; }
}
@media (pointer: coarse) { .sources a { display: block; padding-block: .85em; } .cite { padding: .35em .8em; margin-inline: .3em; } .cite::after { content: ""; position: absolute; inset: -10px -7px; } }
@media (prefers-reduced-motion: no-preference) { .sheet { animation: arrive .14s ease-out; } @keyframes arrive { from { translate: 0 .5em; opacity: 0; } } }
@media (prefers-contrast: more) { :host { --s2: var(--i); --l: var(--i); } }
@media (forced-colors: active) { .send, .find, .cite, .problem, .help, .card { border: 1px solid; } }
`;

const made = new Map(); // text -> sheet, shared by every box of the page

function sheetOf(text) {
  if (!made.has(text)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    made.set(text, sheet);
  }
  return made.get(text);
}

// Without more text: what the closed box needs.
export function style(root, text = "") {
  root.adoptedStyleSheets = [sheetOf(BASE), sheetOf(text)];
}
