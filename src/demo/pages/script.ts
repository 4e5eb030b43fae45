/**
 * The demo shop's script, as a browser gets it: records what the visitor does by POST /trace, asks POST /recommend,
 * shows the two lists, and keeps the visitor's ids and history in the browser's local storage as the interface's clients
 * do. An answer's texts go into the page as text, its addresses only when they are http or https.
 */
export const SHOP_JS = `"use strict";
(() => {
  const { app, root, product } = document.body.dataset;
  const byId = (id) => document.getElementById(id);
  const KEY = "aisle-demo-" + app;

  const hex = (digits) => Array.from(crypto.getRandomValues(new Uint8Array(digits / 2)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const cookie = (name) => document.cookie.split("; ").find((part) => part.startsWith(name + "="))?.slice(name.length + 1);

  function load() {
    let kept = {};
    try { kept = JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { /* a browser without storage starts anew */ }
    return { cId: kept.cId ?? "c-" + hex(16), fpccid: cookie("fp_ccid") ?? kept.fpccid ?? hex(32), history: kept.history ?? [], cart: kept.cart ?? [] };
  }
  const state = load();
  const save = () => { try { localStorage.setItem(KEY, JSON.stringify(state)); } catch { /* see load */ } };
  document.cookie = "fp_ccid=" + state.fpccid + "; path=/; max-age=31536000; SameSite=Lax";
  save();

  async function call(what, path, options) {
    const started = performance.now();
    let outcome = "no answer";
    try {
      const response = await fetch(root + path, options);
      const body = await response.json();
      outcome = String(response.status);
      return response.ok && !body.error ? body : undefined;
    } catch {
      return undefined;
    } finally {
      const entry = document.createElement("li");
      entry.textContent = what + " → " + outcome + ", " + Math.round(performance.now() - started) + " ms";
      byId("calls").append(entry);
    }
  }

  function trace(action, fields) {
    const body = new URLSearchParams({ app_id: app, action_type: action, c_id: state.cId, fp_ccid: state.fpccid, platform: "demo", ...fields });
    return call("POST /trace " + action, "/trace", { method: "POST", body });
  }

  function remember(type, productId) {
    state.history.push({ productInteractionType: type, productId, utcInteractionDate: new Date().toISOString() });
    state.history = state.history.slice(-200);
    save();
  }

  async function recommend() {
    const body = { appId: app, productInteractions: state.history, cId: state.cId, fpccid: state.fpccid };
    if (product) body.currentProductIds = product;
    const answer = await call("POST /recommend", "/recommend", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    let shown = 0;
    for (const frame of document.querySelectorAll(".frame")) {
      const products = answer?.[frame.dataset.list] ?? [];
      frame.querySelector(".cards").replaceChildren(...products.map(card));
      frame.hidden = products.length === 0 || (!product && state.history.length === 0);
      shown += products.length;
    }
    const waiting = byId("waiting");
    if (waiting) {
      waiting.hidden = shown > 0;
      waiting.textContent = answer ? "Nothing to recommend yet." : "Recommendations are taking a break.";
    }
  }

  /** Pages and pictures of this shop by the address the page itself came from, others as they are. */
  function address(text) {
    const own = /^https?:[/][/][^/]+(?:[/].*)?([/]demo[/](?:p|img)[/][^/?#]+)$/.exec(text);
    if (own) return root + own[1];
    return /^https?:[/][/]/.test(text) ? text : "";
  }

  function card({ title, price, url, imageUrl, productId }) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.className = "card";
    if (address(url)) link.href = address(url);
    const image = new Image(400, 400);
    image.alt = "";
    image.loading = "lazy";
    if (address(imageUrl)) image.src = address(imageUrl);
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = title || productId;
    const cost = document.createElement("span");
    cost.className = "price";
    cost.textContent = price ? "€ " + price : "";
    link.append(image, name, cost);
    item.append(link);
    return item;
  }

  let toastTimer;
  function say(text) {
    const toast = byId("toast");
    toast.textContent = text;
    toast.classList.add("on");
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => toast.classList.remove("on"), 2600);
  }

  function showCart() {
    byId("cart-count").textContent = String(state.cart.reduce((sum, line) => sum + line.count, 0));
    byId("cart-lines").replaceChildren(...state.cart.map((line) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      name.textContent = line.count + " × " + line.title;
      const cost = document.createElement("span");
      cost.textContent = "€ " + (line.count * Number(line.price)).toFixed(2);
      item.append(name, cost);
      return item;
    }));
    byId("cart-empty").hidden = state.cart.length > 0;
    byId("cart-actions").hidden = state.cart.length === 0;
  }

  byId("add")?.addEventListener("click", async ({ currentTarget }) => {
    const { title, price } = currentTarget.dataset;
    const line = state.cart.find(({ id }) => id === product);
    if (line) line.count++;
    else state.cart.push({ id: product, title, price, count: 1 });
    remember("add_to_cart", product);
    showCart();
    say("In your cart: " + title);
    await trace("add_to_cart", { product_ids: product, product_counts: "1" });
    await recommend();
  });

  byId("cart-order").addEventListener("click", async () => {
    const lines = state.cart;
    const total = lines.reduce((sum, line) => sum + line.count * Number(line.price), 0).toFixed(2);
    const done = await trace("order", { order_id: "DEMO-" + hex(10), order_status: "completed", order_payment_value: total, order_currency: "EUR", product_ids: lines.map(({ id }) => id).join("|"), product_counts: lines.map(({ count }) => count).join("|") });
    if (!done) return say("The order did not get through. Please try again.");
    for (const { id } of lines) remember("order", id);
    state.cart = [];
    save();
    showCart();
    byId("cart").open = false;
    say("Thank you! Your order is on its imaginary way.");
    await recommend();
  });

  byId("cart-clear").addEventListener("click", () => {
    state.cart = [];
    state.history = state.history.filter(({ productInteractionType }) => productInteractionType !== "add_to_cart");
    save();
    showCart();
  });

  async function showSubscription() {
    const answer = await call("GET /subscription_status", "/subscription_status?" + new URLSearchParams({ app_id: app, fpcid: state.fpccid, force: "true" }));
    if (!answer) return;
    byId("letter").hidden = answer.status === true;
    if (answer.status === true) byId("letter-state").textContent = "You are subscribed. See you next month.";
  }

  byId("letter").addEventListener("submit", async (event) => {
    event.preventDefault();
    const done = await trace("subscribe", { email: byId("letter-email").value, subscriber_status: "1" });
    say(done ? "Welcome to the letters." : "That did not get through. Please try again.");
    await showSubscription();
  });

  async function start() {
    showCart();
    if (product) {
      remember("product_view", product);
      await trace("product_view", { product_ids: product });
    } else {
      await trace("homepage_view", {});
    }
    await recommend();
    await showSubscription();
  }
  start();
})();
`;
