/** The demo shop's style sheet: light and dark as the visitor's system asks, from phone to desk. */
export const SHOP_CSS = `:root {
  --paper: #fbf9f4; --card: #ffffff; --ink: #22303a; --soft: #5a6873; --line: #e3ddd1;
  --brand: #245a4c; --on-brand: #ffffff; --warn: #a23a22; --glow: #fdf1de; --shadow: 0 1px 2px #22303a14, 0 6px 18px #22303a0f;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #151c21; --card: #1e272e; --ink: #eef1ee; --soft: #a7b3ba; --line: #33404a;
    --brand: #8fd0b8; --on-brand: #10231d; --warn: #f0977c; --glow: #232e33; --shadow: 0 1px 2px #0006;
  }
  .card img, .picture, .pictures img, .aisle-image, .lines img, .tile-pictures img { filter: brightness(.9); }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 8rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } .card, .toast, .aisle-product { transition: none !important; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
[hidden] { display: none !important; }
main, footer { max-width: 78rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
h1, h2, h3 { line-height: 1.15; letter-spacing: -.015em; margin: 0; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 4.4vw, 3.1rem); }
h2 { font-size: clamp(1.35rem, 2.6vw, 1.8rem); }
h3 { font-size: 1.2rem; }
p { margin: 0; }
ul, ol { list-style: none; margin: 0; padding: 0; }
a { color: inherit; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 3px; border-radius: 6px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--card); padding: .6rem 1rem; }
.top { position: sticky; top: 0; z-index: 5; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar { max-width: 78rem; margin-inline: auto; padding: .7rem clamp(1rem, 4vw, 2rem); display: grid; grid-template-columns: 1fr auto; align-items: center; gap: .3rem 1.5rem; }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 700; font-size: 1.1rem; text-decoration: none; min-height: 2.75rem; }
.mark { width: 2.1rem; height: 2.1rem; color: var(--brand); flex: none; }
.departments { grid-column: 1 / -1; order: 1; min-width: 0; }
.departments ul { display: flex; gap: 1.2rem; overflow-x: auto; scrollbar-width: none; padding: 4px; margin: -4px; }
.departments a { display: block; padding: .35rem 0; white-space: nowrap; text-decoration: none; border-bottom: 2px solid transparent; }
.departments a:hover { color: var(--brand); }
.departments a[aria-current] { border-color: var(--brand); font-weight: 600; }
@media (min-width: 60rem) { .bar { grid-template-columns: auto 1fr auto; } .departments { grid-column: auto; order: 0; } .departments ul { justify-content: center; } }
.cart { display: inline-flex; align-items: center; gap: .45rem; min-height: 2.75rem; padding: .3rem .9rem; border: 1px solid var(--line); border-radius: 99px; background: var(--card); font-weight: 600; text-decoration: none; }
.cart:hover { border-color: var(--brand); }
.sign { width: 1.2rem; height: 1.2rem; }
button, .button { font: inherit; font-weight: 600; color: var(--on-brand); background: var(--brand); border: 0; border-radius: 99px; padding: .7rem 1.4rem; cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { filter: brightness(1.1); }
button:disabled { background: var(--line); color: var(--soft); cursor: not-allowed; }
button.plain { background: none; color: var(--ink); border: 1px solid var(--line); }
.count { display: inline-block; min-width: 1.5em; text-align: center; border-radius: 99px; background: var(--brand); color: var(--on-brand); font-size: .8rem; }
.toast { transition: none !important; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
[hidden] { display: none !important; }
main, footer { max-width: 78rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
h1, h2, h3 { line-height: 1.15; letter-spacing: -.015em; margin: 0; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 4.4vw, 3.1rem); }
h2 { font-size: clamp(1.35rem, 2.6vw, 1.8rem); }
h3 { font-size: 1.2rem; }
p { margin: 0; }
ul, ol { list-style: none; margin: 0; padding: 0; }
a { color: inherit; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 3px; border-radius: 6px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--card); padding: .6rem 1rem; }
.top { position: sticky; top: 0; z-index: 5; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar { max-width: 78rem; margin-inline: auto; padding: .7rem clamp(1rem, 4vw, 2rem); display: grid; grid-template-columns: 1fr auto; align-items: center; gap: .3rem 1.5rem; }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 700; font-size: 1.1rem; text-decoration: none; min-height: 2.75rem; }
.mark { width: 2.1rem; height: 2.1rem; color: var(--brand); flex: none; }
.departments { grid-column: 1 / -1; order: 1; min-width: 0; }
.departments ul { display: flex; gap: 1.2rem; overflow-x: auto; scrollbar-width: none; padding: 4px; margin: -4px; }
.departments a { display: block; padding: .35rem 0; white-space: nowrap; text-decoration: none; border-bottom: 2px solid transparent; }
.departments a:hover { color: var(--brand); }
.departments a[aria-current] { border-color: var(--brand); font-weight: 600; }
@media (min-width: 60rem) { .bar { grid-template-columns: auto 1fr auto; } .departments { grid-column: auto; order: 0; } .departments ul { justify-content: center; } }
.cart { display: inline-flex; align-items: center; gap: .45rem; min-height: 2.75rem; padding: .3rem .9rem; border: 1px solid var(--line); border-radius: 99px; background: var(--card); font-weight: 600; text-decoration: none; }
.cart:hover { border-color: var(--brand); }
.sign { width: 1.2rem; height: 1.2rem; }
button, .button { font: inherit; font-weight: 600; color: var(--on-brand); background: var(--brand); border: 0; border-radius: 99px; padding: .7rem 1.4rem; cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { filter: brightness(1.1); }
button:disabled { background: var(--line); color: var(--soft); cursor: not-allowed; }
button.plain { background: none; color: var(--ink); border: 1px solid var(--line); }
.count { display: inline-block; min-width: 1.5em; text-align: center; border-radius: 99px; background: var(--brand); color: var(--on-brand); font-size: .8rem; }
.panel { position: absolute; right: 0; top: calc(100% + .5rem); width: min(21rem, 88vw); background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 1rem; box-shadow: var(--shadow); }
.panel li { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
.panel li span:last-child { white-space: nowrap; }
.row { display: flex; gap: .6rem; margin-top: .9rem; flex-wrap: wrap; }
.toast { position: fixed; left: 50%; bottom: 1.2rem; translate: -50% 0; z-index: 9; max-width: 92vw; background: var(--ink); color: var(--paper); border-radius: 99px; padding: .6rem 1.3rem; opacity: 0; transition: opacity .2s; pointer-events: none; }
.toast.on { opacity: 1; }
.welcome { display: grid; gap: 2rem; align-items: center; background: var(--glow); border-radius: 28px; padding: clamp(1.5rem, 4vw, 3.2rem); margin-block: .6rem 1.4rem; }
.welcome p { margin-top: 1rem; max-width: 34rem; color: var(--soft); font-size: 1.08rem; }
.pictures { display: grid; grid-template-columns: repeat(3, 1fr); gap: .8rem; }
.pictures img { width: 100%; height: auto; border-radius: 20px; box-shadow: var(--shadow); }
.pictures img:nth-child(2) { translate: 0 1.1rem; }
@media (min-width: 60rem) { .welcome { grid-template-columns: 1.1fr 1fr; } }
.chips { display: flex; flex-wrap: wrap; gap: .5rem; }
.chips a { display: block; padding: .35rem .9rem; border: 1px solid var(--line); border-radius: 99px; background: var(--card); text-decoration: none; font-size: .95rem; }
.chips a:hover, .chips a[aria-current] { border-color: var(--brand); color: var(--brand); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 1rem; margin-top: 1rem; }
.tile { position: relative; background: var(--card); border: 1px solid var(--line); border-radius: 18px; overflow: hidden; padding-bottom: 1rem; }
.tile:hover { box-shadow: var(--shadow); }
.tile-pictures { display: grid; grid-template-columns: repeat(3, 1fr); aspect-ratio: 3; background: var(--line); overflow: hidden; }
.tile-pictures img { width: 100%; height: 100%; object-fit: cover; }
.tile h3, .tile .chips { margin: .9rem 1rem 0; }
.tile h3 a { text-decoration: none; }
.tile h3 a::after { content: ""; position: absolute; inset: 0; }
.tile .chips { position: relative; width: fit-content; }
.heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .9rem; margin: 1.8rem 0 .9rem; }
.heading p, .small { color: var(--soft); font-size: .95rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 44%), 1fr)); gap: 1rem; }
.card { position: relative; display: flex; flex-direction: column; height: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 18px; overflow: hidden; text-decoration: none; transition: transform .15s, box-shadow .15s; }
.card:hover { transform: translateY(-3px); box-shadow: var(--shadow); }
.card img { width: 100%; height: auto; aspect-ratio: 1; display: block; background: var(--line); }
.card .name { padding: .7rem .9rem .1rem; font-weight: 600; font-size: .95rem; line-height: 1.3; }
.card .price { padding: 0 .9rem .8rem; margin-top: auto; color: var(--soft); }
.badge { position: absolute; top: .6rem; left: .6rem; background: var(--ink); color: var(--paper); border-radius: 99px; padding: .15rem .7rem; font-size: .78rem; }
/* A frame of recommendations is as high before its products come as it is with them. */
:root { --frame: 22.8rem; --column: 10.5rem; }
@media (min-width: 78rem) { :root { --column: calc((100% - 5rem) / 6); } }
.frame { margin-block: 2.6rem 1rem; min-height: var(--frame); }
.frame.aisle-frame { min-height: 0; }
.frame[aria-busy]:empty { background: repeating-linear-gradient(90deg, var(--card) 0 10.5rem, transparent 10.5rem 11.5rem) 0 3rem / auto 17.5rem no-repeat; border-radius: 18px; }
.aisle-products { display: grid; grid-auto-flow: column; grid-auto-columns: var(--column); gap: 1rem; overflow-x: auto; scrollbar-width: thin; scrollbar-color: var(--line) transparent; padding: .9rem 4px 1rem; margin-inline: -4px; scroll-snap-type: x proximity; scroll-padding-inline: 4px; }
.aisle-product { position: relative; height: 18.6rem; display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--line); border-radius: 18px; overflow: hidden; scroll-snap-align: start; transition: transform .15s, box-shadow .15s; }
.aisle-product:hover { transform: translateY(-3px); box-shadow: var(--shadow); }
.aisle-product:focus-within { outline: 3px solid var(--brand); outline-offset: 1px; }
.aisle-link { text-decoration: none; outline: none; }
.aisle-link::after { content: ""; position: absolute; inset: 0; }
.aisle-image { display: block; width: 100%; height: 11rem; object-fit: cover; background: var(--line); }
.aisle-name { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; margin: .7rem .9rem .1rem; font-weight: 600; font-size: .95rem; line-height: 1.3; }
.aisle-price { padding: 0 .9rem .8rem; margin-top: auto; color: var(--soft); }
.waiting { color: var(--soft); }
.crumbs ol { display: flex; flex-wrap: wrap; gap: .3rem .6rem; padding-block: .8rem; color: var(--soft); font-size: .92rem; }
.crumbs li + li::before { content: "/"; margin-right: .6rem; color: var(--line); }
.product { display: grid; gap: clamp(1.2rem, 4vw, 3rem); align-items: start; }
@media (min-width: 48rem) { .product { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.picture { width: 100%; height: auto; border-radius: 28px; box-shadow: var(--shadow); }
.about { display: grid; gap: .9rem; justify-items: start; }
.maker { color: var(--brand); font-weight: 700; letter-spacing: .02em; }
.about .price { font-size: 1.5rem; font-weight: 700; }
.stock { color: var(--brand); font-weight: 600; }
.stock.out { color: var(--warn); }
.variants a { margin-right: .8rem; }
dl { margin: 0; display: flex; flex-wrap: wrap; gap: .5rem 1.8rem; }
dt { color: var(--soft); font-size: .85rem; }
dt::first-letter { text-transform: uppercase; }
dd { margin: 0; font-weight: 600; }
.tags { display: flex; flex-wrap: wrap; gap: .4rem; }
.tags li { border: 1px solid var(--line); border-radius: 99px; padding: .1rem .7rem; font-size: .85rem; color: var(--soft); }
main { min-height: 100vh; padding-block: .6rem 2rem; }
main > h1, .empty h1, #thanks-full h1 { margin-top: 1.2rem; }
nav + .cards { margin-top: 1.4rem; }
.empty { display: grid; gap: 1rem; justify-items: start; padding-block: 1.5rem; }
.checkout { display: grid; gap: 1.5rem clamp(1.5rem, 4vw, 3rem); margin-top: 1.2rem; align-items: start; }
@media (min-width: 60rem) { .checkout { grid-template-columns: 1fr 22rem; } }
.lines { display: grid; gap: .8rem; }
.lines li { display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: .3rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 18px; padding: .7rem 1rem .7rem .7rem; }
.checkout .lines img { grid-row: span 2; }
.lines img { border-radius: 12px; width: 5rem; height: 5rem; background: var(--line); }
.lines a { font-weight: 600; text-decoration: none; }
.lines a:hover { text-decoration: underline; }
.lines .cost { white-space: nowrap; font-weight: 600; }
.lines .row { grid-column: 2 / -1; display: flex; gap: .6rem; align-items: center; }
.lines button { padding: .4rem 1rem; }
.lines input { width: 5rem; padding: .4rem .8rem; }
#thanks-full { display: grid; gap: 1rem; max-width: 44rem; }
.sum { text-align: right; }
.summary { display: grid; gap: 1rem; background: var(--glow); border-radius: 24px; padding: 1.4rem; }
.summary dl { display: grid; gap: .4rem; }
.summary dl div { display: flex; justify-content: space-between; }
.summary dl div:last-child { border-top: 1px solid var(--line); padding-top: .4rem; font-size: 1.2rem; }
.summary form { display: grid; gap: .6rem; }
.summary input { width: 100%; }
footer { margin-top: 2rem; padding-block: 2rem 3rem; display: grid; gap: 1.6rem; border-top: 1px solid var(--line); }
.letter { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 1.2rem; background: var(--glow); border-radius: 24px; padding: 1.6rem clamp(1.2rem, 4vw, 2.2rem); min-height: 8.2rem; }
.letter form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
.letter p { color: var(--soft); }
input { font: inherit; padding: .65rem 1rem; border-radius: 99px; border: 1px solid var(--soft); background: var(--card); color: var(--ink); min-width: 0; width: 15rem; max-width: 100%; }
.privacy { display: grid; gap: .6rem; }
.privacy h2 { font-size: 1.1rem; }
.switch { display: inline-flex; align-items: center; gap: .7rem; padding: .3rem 0; background: none; color: var(--ink); font-weight: 400; border-radius: 6px; text-align: left; }
.switch:disabled { background: none; }
.switch::before { content: ""; width: 2.6rem; height: 1.5rem; border-radius: 99px; flex: none; border: 2px solid var(--soft); background: radial-gradient(circle at .62rem 50%, var(--soft) .38rem, transparent .42rem); }
.switch[aria-checked="true"]::before { border-color: var(--brand); background: radial-gradient(circle at calc(100% - .62rem) 50%, var(--on-brand) .38rem, var(--brand) .42rem); }
.calls p { margin-top: .5rem; }
.calls summary { cursor: pointer; color: var(--soft); }
.calls li { font: .85rem/1.6 ui-monospace, Consolas, monospace; overflow-wrap: anywhere; }
`;
