/** The style of a report in a browser: light and dark, for wide windows, phones and paper. */
import { darkRules } from '../plots/index.js';

const PAGE = `
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f9;--ink:#1b1f24;--soft:#4b525b;--line:#d9dde2;--mark:#0063a0;--warn:#9a4a00}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow-wrap:break-word}
main,header,nav{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.3rem;margin:2.5rem 0 .75rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
p,li{max-width:46rem}
ul{padding-left:1.25rem}
li{margin:.35rem 0}
a{color:var(--mark)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;margin:.75rem 0;list-style:none}
nav li{margin:0}
.soft{color:var(--soft);font-size:.9rem}
.warn{color:var(--warn);font-weight:600}
.scroll{overflow-x:auto;margin:.75rem 0;max-width:100%}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;line-height:1.35}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600}
thead th{background:var(--raised);border-bottom:2px solid var(--line);white-space:normal;vertical-align:bottom}
tbody tr.first>*{border-top:2px solid var(--line)}
.n{text-align:right}
.wide{white-space:normal;min-width:14rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));gap:1rem}
figure{margin:0;border:1px solid var(--line);border-radius:.5rem;padding:.5rem;min-width:0}
figure .scroll{margin:0}
figure svg{display:block;width:100%;min-width:28rem;height:auto}
figcaption{font-size:.85rem;color:var(--soft);padding:.5rem}
details{margin:.75rem 0}
summary{cursor:pointer;font-weight:600;padding:.25rem 0}
footer{margin:3rem 0 2rem}
`;

const DARK = `:root{--ground:#101214;--raised:#1a1d21;--ink:#e6e9ec;--soft:#aab1b9;--line:#30363d;--mark:#6db7ef;--warn:#f0a860}figure{background:#16191d}figure svg{fill:#c3c9d0}`;

const PHONE = `@media (max-width:40rem){main,header,nav{padding:0 .75rem}h1{font-size:1.4rem}table{font-size:.78rem}th,td{padding:.25rem .4rem}tbody th{white-space:normal;max-width:6.5rem}}`;

const PAPER = `@media print{nav{display:none}.scroll{overflow:visible}figure,tr{break-inside:avoid}}`;

export const STYLE = `${PAGE.replaceAll('\n', '')}${PHONE}${PAPER}@media (prefers-color-scheme:dark){${DARK}${darkRules('figure svg')}}`;
