import { DEMO_APP_NAME } from "../catalogue.js";
import { page } from "../html.js";
import { frame, layout, type PageOptions } from "./layout.js";

/** The page of the cart. The cart is stored in the browser, so the page's script fills it. */
export function cartPage(options: PageOptions): string {
  const main = page("cart.html", {
    home: `${options.baseUrl}/demo/`,
    frame: frame("cart", "recommended", "You may also need"),
  });
  return layout(options, {
    kind: "cart",
    title: `Your cart – ${DEMO_APP_NAME}`,
    description: "What you have put into your cart.",
    main,
  });
}

/** The page after an order. Its script shows the order, which is stored in the browser. */
export function thanksPage(options: PageOptions): string {
  const main = page("thanks.html", {
    home: `${options.baseUrl}/demo/`,
    frame: frame("default", "recommended", "For next time"),
  });
  return layout(options, {
    kind: "thanks",
    title: `Thank you – ${DEMO_APP_NAME}`,
    description: "Your order is on its imaginary way.",
    main,
  });
}
