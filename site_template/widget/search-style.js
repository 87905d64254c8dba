// The search dialog's own styles, on top of what it shares with the question box.

export const SEARCH_STYLE = `
dialog { width: min(40em, calc(100vw - 2em)); max-height: min(36em, 80dvh); margin: 10vh auto auto; padding: 0; border: 1px solid var(--l); border-radius: 8px; background: var(--p); color: inherit; overflow: hidden; }
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(0 0 0 / .32); }
dialog input:focus-visible { outline: none; }
.head { display: flex; border-block-end: 1px solid var(--l); }
.close { display: none; padding-inline: 1em; color: var(--s2); font-size: .9em; }
dialog input { flex: 1; min-width: 0; padding: .9em 1em; border: 0; outline: none; background: none; color: inherit; font: inherit; font-size: 1.05em; }
.narrow { align-self: start; margin: .5em 1.2em .2em; font-size: .8em; color: var(--s2); text-decoration: underline 1px var(--l); text-underline-offset: .2em; }
.choices { display: flex; flex-wrap: wrap; gap: .4em; padding: .3em 1em; font-size: .85em; }
.choices[hidden] { display: none; }
.choices select { max-width: 12em; padding: .15em .3em; border: 1px solid var(--l); border-radius: 4px; background: var(--p); color: var(--s2); font: inherit; }
.foot span:empty { display: none; }
.foot a, .foot button { color: var(--s2); text-decoration: underline 1px; }
.results { flex: 1; min-height: 8em; overflow-y: auto; padding: .5em; }
.group { padding: .5em .6em .2em; font-size: .8em; color: var(--s2); }
[role=option] { display: block; padding: .45em .6em; border-radius: 5px; color: inherit; text-decoration: none; cursor: pointer; }
[role=option][aria-selected=true] { background: var(--w); }
[role=option] b { font-weight: 600; color: var(--m); }
[role=option] span { display: block; font-size: .85em; color: var(--s2); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.foot { display: flex; flex-wrap: wrap; gap: 0 1.2em; padding: .5em 1em; border-block-start: 1px solid var(--l); font-size: .78em; color: var(--s2); }
@media (hover: none), (max-width: 48em) { .close { display: block; } .keys { display: none; } }
@media (pointer: coarse) { .choices select, .narrow, .foot :is(a, button) { min-block-size: 44px; } .narrow { margin-block: 0; } .foot { align-items: center; padding-block: 0; } .foot a { display: flex; align-items: center; } }
@media (max-width: 48em) { dialog { width: 100vw; max-width: none; margin: 0; border-radius: 0; border-width: 0 0 1px; max-height: 100dvh; } }
`;
