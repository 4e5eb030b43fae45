import type { Helper } from "./helper.js";
import type { Card, RecommendOptions } from "./recommend.js";

export interface RenderOptions extends RecommendOptions {
  readonly list?: "recommended" | "alternative";
  /** Heading of the frame. */
  readonly title: string;
  /** Products at most; without it all. */
  readonly count?: number;
  /** Text of a price; without it as the page's language writes it, with its currency. */
  readonly formatPrice?: (price: string, card: Card) => string;
  /** CSS height reserved until the products arrive; without it `22rem`. */
  readonly minHeight?: string;
}

/**
 * Shows a frame in `element`: a heading and a list of links, with classes that begin with `aisle-` for the shop's style.
 * The height is reserved at once, so that nothing on the page moves when products arrive. Without products the height
 * is released only while the frame is out of view. Resolves with the products shown.
 */
export async function render(helper: Helper, element: HTMLElement, options: RenderOptions): Promise<readonly Card[]> {
  const { list = "recommended", title, count, minHeight = "22rem" } = options;
  element.classList.add("aisle-frame");
  element.style.minHeight = minHeight;
  element.setAttribute("aria-busy", "true");
  // without an answer the page stays as it is
  const answer = await helper.recommend(options).catch(() => undefined);
  element.removeAttribute("aria-busy");
  const cards = (answer?.[list] ?? []).slice(0, count);
  if (cards.length === 0) {
    element.replaceChildren();
    if (isOutOfView(element)) element.style.minHeight = "";
    return cards;
  }
  const heading = tag("h2", "aisle-title", title);
  heading.id = `aisle-${options.frame ?? "default"}-${list}`;
  element.setAttribute("role", "region");
  element.setAttribute("aria-labelledby", heading.id);
  const items = tag("ul", "aisle-products");
  const onUse = (card: Card) => helper.useFrame(options.frame ?? "default", card.productId, answer);
  for (const card of cards) items.append(itemOf(card, options, () => onUse(card)));
  element.replaceChildren(heading, items);
  return cards;
}

function itemOf(card: Card, { formatPrice }: RenderOptions, onUse: () => void): HTMLElement {
  const item = tag("li", "aisle-product");
  const link = document.createElement("a");
  link.className = "aisle-link";
  const url = webUrl(card.url);
  if (url !== undefined) link.href = url;
  link.addEventListener("click", onUse);
  const picture = webUrl(card.imageUrl);
  if (picture !== undefined) {
    const image = document.createElement("img");
    image.className = "aisle-image";
    image.alt = ""; // the title beside it says what it shows
    image.loading = "lazy";
    image.decoding = "async";
    image.width = 240;
    image.height = 240;
    // A picture that does not load keeps its place without the browser's sign for it.
    image.onerror = () => {
      image.style.visibility = "hidden";
    };
    image.src = picture;
    link.append(image);
  }
  link.append(tag("span", "aisle-name", card.title || card.productId));
  item.append(link);
  if (card.price !== "") item.append(tag("span", "aisle-price", (formatPrice ?? priceText)(card.price, card)));
  return item;
}

/** `19,90 €` on a German page; the plain amount where the currency is not known. */
function priceText(price: string, { currency }: Card): string {
  try {
    return new Intl.NumberFormat(document.documentElement.lang || undefined, { style: "currency", currency }).format(
      Number(price),
    );
  } catch {
    // no currency, or a language that is none
    return `${price} ${currency}`.trim();
  }
}

/** Inserts texts as text: nothing of an answer is parsed as HTML. */
function tag(name: string, className: string, text = ""): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

/** The URL when it is http or https, else undefined. */
function webUrl(text: string): string | undefined {
  return /^https?:\/\//i.test(text) ? text : undefined;
}

function isOutOfView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top > window.innerHeight || bottom < 0;
}
