// The widget's own styles, adopted by its shadow root: no <style> element, so a strict CSP holds. Colours come from the
// page's tokens when it has them. --geosmin-size sets the size of the text.

const TEXT = `
:host { display: block; font-size: var(--geosmin-size, 1rem); line-height: 1.6; color: var(--ink, #1d2127); text-align: start;
  --p: var(--paper, #fbfaf7); --i: var(--ink, #1d2127); --s2: var(--ink-soft, #5c6066); --l: var(--line, #e0dfdb);
  --w: var(--wash, #f3f1ed); --m: var(--moss, #2c6446); --c: var(--clay, #99502a); }
:host([hidden]) { display: none; }
*, ::before, ::after { box-sizing: border-box; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--m); outline-offset: 2px; border-radius: 3px; }
a { color: var(--m); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
h2, h3, h4, p, ul, ol { margin: 0; padding: 0; }
ul { list-style: none; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.launch { position: fixed; inset-block-end: 1.25em; inset-inline-end: 1.25em; z-index: 5; padding: .5em 1.1em; border: 1px solid var(--m);
  border-radius: 6px; background: var(--p); color: var(--m); font-weight: 600; }
.launch:hover { background: var(--m); color: var(--p); }
.panel { display: flex; flex-direction: column; background: var(--p); }
.panel[hidden] { display: none; }
.sheet { position: fixed; z-index: 6; inset-block: 0; inset-inline-end: 0; width: min(27em, 100vw); border-inline-start: 1px solid var(--l); }
.bar { display: flex; align-items: center; gap: .5em; padding: .75em 1em; border-block-end: 1px solid var(--l); }
.bar h2 { flex: 1; font-size: 1em; font-weight: 650; }
.bar button { padding: .25em .6em; border-radius: 4px; color: var(--s2); font-size: .875em; }
.bar button:hover { background: var(--w); color: var(--i); }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 1em; }
.inline .log { overflow: visible; padding: 0; }
.inline .log:empty { display: none; }

form { display: flex; align-items: flex-end; gap: .5em; padding: .5em; border: 1px solid var(--l); border-radius: 6px; background: var(--p); }
form:focus-within { border-color: var(--m); box-shadow: 0 0 0 1px var(--m); }
textarea:focus-visible, input:focus-visible { outline: none; }
.sheet form { margin: 0 1em 1em; }
.inline form { padding: .65em .65em .65em 1em; }
textarea { flex: 1; min-width: 0; max-height: 9em; padding: .3em; border: 0; outline: none; resize: none; field-sizing: content; background: none; color: inherit; font: inherit; line-height: 1.5; }
textarea::placeholder { color: var(--s2); opacity: 1; }
.send { flex: none; padding: .3em .9em; border-radius: 4px; background: var(--m); color: var(--p); font-weight: 600; }
.find { flex: none; padding: .3em .7em; border-radius: 4px; color: var(--m); }
.find:hover { background: var(--w); }
.hint { padding: 0 1em .6em; font-size: .8em; color: var(--s2); }
.inline .hint { display: none; }

.turn + .turn { margin-block-start: 1.5em; padding-block-start: 1.5em; border-block-start: 1px solid var(--l); }
.inline .turn:first-child { margin-block-start: 1.5em; }
.question { font-size: 1em; font-weight: 650; margin-block-end: .5em; overflow-wrap: anywhere; }
.quiet, .steps { font-size: .85em; color: var(--s2); }
.quiet { margin-block: .4em; }
summary { cursor: pointer; }
.steps li { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.answer { line-height: 1.7; overflow-wrap: break-word; }
.answer > * + * { margin-block-start: .6em; }
.answer ul, .answer ol { padding-inline-start: 1.4em; }
.answer ul { list-style: disc; }
.answer code { padding: .1em .3em; border-radius: 4px; background: var(--w); font: .88em var(--mono, ui-monospace, monospace); }
.cite { margin-inline: .2em .05em; padding: .05em .4em; border: 1px solid var(--l); border-radius: 4px; font-size: .72em; text-decoration: none; vertical-align: .12em; font-variant-numeric: tabular-nums; }
.cite:hover { border-color: var(--m); background: var(--w); }
.problem { padding: .6em .8em; border-radius: 6px; background: var(--w); }
.sources, .starters { margin-block-start: 1em; font-size: .875em; }
h4, .label { margin-block-end: .35em; font-size: 1em; font-weight: 600; color: var(--s2); }
.sources ol { padding-inline-start: 1.5em; }
.sources li + li, .starters li + li { margin-block-start: .4em; }
q { display: block; color: var(--s2); quotes: none; overflow-wrap: anywhere; }
.plain { color: var(--m); text-align: start; text-decoration: underline dotted 1px; text-underline-offset: .2em; }
.plain:hover { text-decoration: underline 2px; }
.inline > .starters { display: flex; flex-wrap: wrap; justify-content: center; gap: .3em 1.2em; }
.inline > .starters .label { display: none; }
.inline > .starters ul { display: contents; }
.inline > .starters li + li { margin: 0; }

@media (max-width: 48em) {
  .sheet { inset-block-start: auto; inset-inline: 0; width: auto; height: min(85dvh, 40em); border-inline-start: 0; border-block-start: 1px solid var(--s2); border-radius: 10px 10px 0 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .sheet:not([hidden]) { animation: arrive .14s ease-out; }
  @keyframes arrive { from { transform: translateX(1em); opacity: 0; } }
}
@media print { :host { display: none; } }

dialog { width: min(40em, calc(100vw - 2em)); max-height: min(36em, 80dvh); margin: 10vh auto auto; padding: 0; border: 1px solid var(--l); border-radius: 8px; background: var(--p); color: inherit; overflow: hidden; }
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(0 0 0 / .32); }
dialog input { width: 100%; padding: .9em 1em; border: 0; border-block-end: 1px solid var(--l); outline: none; background: none; color: inherit; font: inherit; font-size: 1.05em; }
.narrow { align-self: start; margin: .5em 1.2em .2em; font-size: .8em; color: var(--s2); text-decoration: underline 1px var(--l); text-underline-offset: .2em; }
.choices { display: flex; flex-wrap: wrap; gap: .4em; padding: .3em 1em; font-size: .85em; }
.choices[hidden] { display: none; }
.choices select { max-width: 12em; padding: .15em .3em; border: 1px solid var(--l); border-radius: 4px; background: var(--p); color: var(--s2); font: inherit; }
.foot a, .foot button { color: var(--s2); text-decoration: underline 1px; }
.results { flex: 1; min-height: 8em; overflow-y: auto; padding: .5em; }
.group { padding: .5em .6em .2em; font-size: .8em; color: var(--s2); }
[role=option] { display: block; padding: .45em .6em; border-radius: 5px; color: inherit; text-decoration: none; cursor: pointer; }
[role=option][aria-selected=true] { background: var(--w); }
[role=option] b { font-weight: 600; color: var(--m); }
[role=option] span { display: block; font-size: .85em; color: var(--s2); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[role=option] mark { background: var(--mark, #f6e7c8); color: var(--i); border-radius: 2px; }
.foot { padding: .5em 1em; border-block-start: 1px solid var(--l); font-size: .78em; color: var(--s2); }
@media (max-width: 48em) { dialog { width: 100vw; max-width: none; margin: 0; border-radius: 0; border-width: 0 0 1px; max-height: 100dvh; } }
`;

let sheet;

export function style(root) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(TEXT);
  }
  root.adoptedStyleSheets = [sheet];
}
