/** How the page looks: the reader's fonts and colours, light or dark as the reader's system is. */
export const STYLE = /* css */ `
:root {
  color-scheme: light dark;
  --back: light-dark(#f6f7f9, #15181d);
  --card: light-dark(#ffffff, #1d2128);
  --text: light-dark(#1b1f24, #e4e7eb);
  --dim: light-dark(#586069, #9aa4b0);
  --line: light-dark(#d8dde3, #343b45);
  --code: light-dark(#f1f3f6, #14171c);
  --accent: light-dark(#0b5cad, #6cb2ff);
  --on-accent: light-dark(#ffffff, #0d1117);
  --good: light-dark(#186a3b, #63c78a);
  --bad: light-dark(#a32020, #ff8f8f);
  --change: light-dark(#8a5300, #e7b35a);
  font: 16px/1.5 system-ui, sans-serif;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--back); color: var(--text); }
header, main, noscript p { max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem; }
main { padding-bottom: 4rem; }
h1 { font-size: 1.4rem; margin: 0; }
h3 { font-size: 0.95rem; margin: 1.25rem 0 0.4rem; }
p { margin: 0.5rem 0; }
.line { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
.note { color: var(--dim); font-size: 0.875rem; }
.text { white-space: pre-wrap; }
.problem { color: var(--bad); }

form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; margin-top: 1rem; }
label { display: block; font-size: 0.875rem; color: var(--dim); }
label.wide { flex: 1 1 20rem; }
input, textarea, button { font: inherit; border-radius: 6px; border: 1px solid var(--line); padding: 0.4rem 0.6rem; }
input, textarea { display: block; width: 100%; background: var(--card); color: var(--text); margin-top: 0.2rem; }
textarea { font-family: ui-monospace, monospace; font-size: 0.875rem; resize: vertical; }
button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); cursor: pointer; }
button.quiet { background: none; border-color: var(--line); color: var(--text); }
button:disabled { opacity: 0.6; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

details.endpoint { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0.6rem 0; }
details.endpoint > summary { padding: 0.6rem 0.9rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; }
details.endpoint[open] > summary { border-bottom: 1px solid var(--line); }
details.endpoint > div { padding: 0.25rem 0.9rem 1rem; }
summary .path { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
summary .name { color: var(--dim); margin-left: auto; font-size: 0.875rem; }
.method { font: 600 0.8rem ui-monospace, monospace; min-width: 4rem; color: var(--change); }
.method.get { color: var(--good); }
.method.delete { color: var(--bad); }
.badge { font-size: 0.75rem; border: 1px solid var(--line); border-radius: 99px; padding: 0 0.5rem; color: var(--dim); }

pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: 0.6rem 0.75rem; margin: 0; overflow: auto; max-height: 30rem; font: 0.84rem/1.45 ui-monospace, monospace; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0.75rem; margin: 0.5rem 0; }
.fields code, td code { color: var(--text); }
.try { border-top: 1px solid var(--line); margin-top: 1.25rem; }
.try form { display: block; margin: 0; }
.try button { margin-top: 0.75rem; }
.outcome { margin-top: 1rem; }
.outcome .good { color: var(--good); }
.outcome .bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--dim); font-weight: 500; }
td { white-space: nowrap; }
td:last-child, td code { white-space: pre-wrap; }
`;
