/**
 * The script of the demo shop's pages. With Aisle's helper it sends what the visitor does and shows recommendations. The
 * cart is the shop's own and works without Aisle.
 */

import type { PageHelper } from "../helper/aisle.js";
import type { ProductInput } from "../helper/events.js";
import type { RecommendOptions } from "../helper/recommend.js";
import { createShelf } from "../helper/shelf.js";
import { pageStorage } from "../helper/storage.js";
import { createCart, type Line, thingsIn, totalOf } from "./cart.js";
import { createCheckout, showThanks } from "./checkout.js";
import { byId, createToast } from "./dom.js";
import { showFrames } from "./frames.js";
import { createLetter } from "./letter.js";
import { showPrivacy } from "./privacy.js";

const { kind = "", root = "", categoryIds = "", categoryNames = "" } = document.body.dataset;
const ids = categoryIds.split("|").filter((id) => id !== "");
const names = categoryNames.split("|");
const aisle: PageHelper | undefined = window.Aisle?.shop;
const shelf = createShelf(pageStorage(), "larkfell");
const cart = createCart(shelf);
const say = createToast(byId("toast", HTMLElement));
const product = kind === "product" ? productOf(byId("product", HTMLElement).dataset) : undefined;

/** Ids of the products just ordered, on the page of thanks. */
let orderedIds: readonly string[] = [];
let showCheckout: (() => void) | undefined;

function showCount(): void {
  byId("cart-count", HTMLElement).textContent = String(thingsIn(cart.lines()));
}

/** What to ask recommendations for. Aisle has no history of an unknown visitor, so cart or order is sent instead. */
function question(): RecommendOptions {
  const isKnown = aisle?.visitorIds().cId !== "";
  if (product?.id !== undefined) return { currentIds: [product.id] };
  if (kind === "shelf") return { currentCategoryIds: ids.slice(-1), groups: ids.slice(-1) };
  if (isKnown) return {};
  return { currentIds: kind === "thanks" ? orderedIds : cart.lines().map(({ id }) => id) };
}

async function recommend(): Promise<void> {
  // Offline, the products shown before stay.
  if (aisle !== undefined && navigator.onLine) await showFrames(aisle, root, question());
}

/** Sends which page was opened. */
function tell(): void {
  if (kind === "home") aisle?.viewHomepage();
  if (kind === "shelf") aisle?.viewCategory(ids, names);
  if (product !== undefined) aisle?.viewProduct(product);
}

function openProduct(shown: ProductInput & { readonly id: string; readonly title: string }, cents: number): void {
  byId("add", HTMLButtonElement).addEventListener("click", () => {
    cart.add({ id: shown.id, title: shown.title, cents });
    aisle?.addToCart({ ...shown, quantity: 1 });
    showCount();
    say(`In your cart: ${shown.title}`);
    void recommend();
  });
}

function openCart(): void {
  showCheckout = createCheckout(cart, shelf, root, {
    onChange: showCount,
    onRemove({ id, title }) {
      aisle?.trace("remove_from_cart", { product_ids: id });
      showCount();
      say(`Removed: ${title}`);
      void recommend();
    },
    onOrder(orderId, lines, email) {
      const total = (totalOf(lines) / 100).toFixed(2);
      const contact = email === "" ? {} : { email };
      aisle?.order({ orderId, products: lines.map(inputOf), total, currency: "EUR", ...contact });
      location.assign(`${root}/demo/thanks`);
    },
  });
  byId("frames", HTMLElement).hidden = false;
}

function openThanks(): void {
  orderedIds = showThanks(shelf, root);
  byId("frames", HTMLElement).hidden = false;
}

function inputOf({ id, title, count }: Line): ProductInput {
  return { id, title, quantity: count };
}

function productOf({ id = "", sku = "", title = "", brand = "", available = "" }: DOMStringMap) {
  const url = `${location.origin}${location.pathname}`;
  const imageUrl = new URL(`${root}/demo/img/${id}.svg`, url).href;
  const categories = { categoryIds: ids, categoryNames: names };
  return { id, sku, title, url, imageUrl, brandName: brand, available: available === "true", ...categories };
}

showCount();
tell();
if (product !== undefined) openProduct(product, Math.round(Number(byId("product", HTMLElement).dataset.price) * 100));
if (kind === "cart") openCart();
if (kind === "thanks") openThanks();

const letter = aisle && createLetter(aisle);
const refresh = () => {
  showCount();
  showCheckout?.();
};
if (aisle !== undefined)
  showPrivacy(aisle, (isGiven) => {
    if (isGiven) tell();
    void recommend();
    void letter?.show();
  });
void recommend();
void letter?.show();
// Another tab may change the cart, and a page restored by the back button may show an old one.
window.addEventListener("storage", ({ key }) => {
  if (key === null || key.endsWith(":cart")) refresh();
});
window.addEventListener("online", () => void recommend());
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  refresh();
  void recommend();
  void letter?.show();
});
