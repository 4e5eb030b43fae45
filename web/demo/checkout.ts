import type { Shelf } from "../helper/shelf.js";
import { type Cart, keepOrder, type Line, lastOrder, thingsIn, totalOf } from "./cart.js";
import { byId, element, euro } from "./dom.js";

/** Called when the visitor changes the cart or orders. */
export interface CheckoutEvents {
  readonly onChange: () => void;
  readonly onRemove: (line: Line) => void;
  /** The order is kept and the cart is empty. @param email As typed, "" for none. */
  readonly onOrder: (orderId: string, lines: readonly Line[], email: string) => void;
}

/** Shows the cart. Returns a function that shows it again, for when another tab has changed it. */
export function createCheckout(cart: Cart, shelf: Shelf, root: string, events: CheckoutEvents): () => void {
  const showSums = () => {
    const lines = cart.lines();
    byId("cart-full", HTMLElement).hidden = lines.length === 0;
    byId("cart-empty", HTMLElement).hidden = lines.length > 0;
    byId("cart-things", HTMLElement).textContent = String(thingsIn(lines));
    byId("cart-total", HTMLElement).textContent = euro(totalOf(lines));
  };
  const show = () => {
    byId("cart-lines", HTMLElement).replaceChildren(...cart.lines().map(editable));
    showSums();
  };

  function editable(line: Line): HTMLElement {
    const item = itemOf(line, root);
    const cost = item.querySelector(".cost");
    const input = element("input");
    Object.assign(input, { type: "number", min: "1", max: "99", value: String(line.count), required: true });
    input.setAttribute("aria-label", `How many: ${line.title}`);
    input.addEventListener("change", () => {
      if (!input.checkValidity()) input.value = String(line.count);
      const count = Number(input.value);
      cart.setCount(line.id, count);
      if (cost) cost.textContent = euro(line.cents * count);
      showSums();
      events.onChange();
    });
    const remove = element("button", { className: "plain", text: "Remove" });
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${line.title}`);
    remove.addEventListener("click", () => {
      cart.setCount(line.id, 0);
      show();
      (document.querySelector<HTMLElement>("#cart-lines a, #cart-empty a") ?? document.body).focus();
      events.onRemove(line);
    });
    item.append(element("div", { className: "row" }, input, remove));
    return item;
  }

  byId("order", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    const lines = cart.lines();
    if (lines.length === 0) return;
    const orderId = `L-${crypto.getRandomValues(new Uint32Array(1)).join("")}`;
    keepOrder(shelf, { orderId, lines });
    cart.clear();
    events.onOrder(orderId, lines, byId("order-email", HTMLInputElement).value);
  });
  show();
  return show;
}

/** Shows the last order. Returns the ids of its products. */
export function showThanks(shelf: Shelf, root: string): readonly string[] {
  const order = lastOrder(shelf);
  byId("thanks-full", HTMLElement).hidden = order === undefined;
  byId("thanks-empty", HTMLElement).hidden = order !== undefined;
  const lines = order?.lines ?? [];
  byId("order-id", HTMLElement).textContent = order?.orderId ?? "";
  byId("order-total", HTMLElement).textContent = euro(totalOf(lines));
  byId("order-lines", HTMLElement).replaceChildren(
    ...lines.map((line) => itemOf(line, root, line.count > 1 ? `${line.count} × ` : "")),
  );
  return lines.map(({ id }) => id);
}

function itemOf({ id, title, cents, count }: Line, root: string, before = ""): HTMLElement {
  const image = element("img");
  Object.assign(image, { src: `${root}/demo/img/${id}.svg`, alt: "", width: 96, height: 96 });
  const link = element("a", { text: before + title });
  link.href = `${root}/demo/p/${id}`;
  return element("li", {}, image, link, element("span", { className: "cost", text: euro(cents * count) }));
}
