import { DEMO_APP_NAME } from "../catalogue.js";
import { html } from "../html.js";
import { frame, layout, type PageOptions } from "./layout.js";

/** The page of the cart. The cart is stored in the browser, so the page's script fills it. */
export function cartPage(options: PageOptions): string {
  const main = html`<h1>Your cart</h1>
<div id="cart-empty" class="empty" hidden><p>There is nothing in it yet.</p><p><a class="button" href="${options.baseUrl}/demo/">Look around</a></p></div>
<div id="cart-full" class="checkout" hidden>
<ul id="cart-lines" class="lines" aria-label="Things in your cart"></ul>
<section class="summary" aria-labelledby="summary-title"><h2 id="summary-title">Summary</h2>
<dl><div><dt>Things</dt><dd id="cart-things"></dd></div><div><dt>Shipping</dt><dd>free</dd></div><div><dt>Total</dt><dd id="cart-total"></dd></div></dl>
<form id="order"><label for="order-email">E-mail <span class="small">(if you like; no mail is sent)</span></label><input id="order-email" name="email" type="email" autocomplete="email" placeholder="you@example.com">
<button type="submit">Place the order</button></form></section>
</div>
<div id="frames" hidden>${frame("cart", "recommended", "You may also need")}</div>`;
  return layout(options, {
    kind: "cart",
    title: `Your cart – ${DEMO_APP_NAME}`,
    description: "What you have put into your cart.",
    main,
  });
}

/** The page after an order. Its script shows the order, which is stored in the browser. */
export function thanksPage(options: PageOptions): string {
  const main = html`<div id="thanks-empty" class="empty" hidden><h1>No order yet</h1><p><a class="button" href="${options.baseUrl}/demo/">Look around</a></p></div>
<div id="thanks-full" hidden><h1>Thank you!</h1>
<p>Order <strong id="order-id"></strong> is on its imaginary way. Aisle knows of it, and does not offer you the same again.</p>
<ul id="order-lines" class="lines" aria-label="Things you ordered"></ul>
<p class="sum">Total <strong id="order-total"></strong></p></div>
<div id="frames" hidden>${frame("default", "recommended", "For next time")}</div>`;
  return layout(options, {
    kind: "thanks",
    title: `Thank you – ${DEMO_APP_NAME}`,
    description: "Your order is on its imaginary way.",
    main,
  });
}
