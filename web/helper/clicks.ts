import { isObject, listOf, type Shelf } from "./shelf.js";

/** A click on a recommended product. */
interface Click {
  readonly recommendationId: string;
  readonly productId: string;
  readonly at: number;
}

/** Products as an event names them. */
type Named = readonly { readonly id?: string; readonly sku?: string }[];

/** The visitor's clicks on recommended products: events of these products name the answer that they were clicked in. */
export interface Clicks {
  add(recommendationId: string, productId: string): void;
  /** Ids of the answers in which these products were clicked, each once. */
  recommendationsOf(products: Named): readonly string[];
  /** The same of the product that a page shows. Right after a click it counts although the page names it otherwise, such as by its group. */
  recommendationsOfView(product: Named[number]): readonly string[];
}

/** How many are kept, the newest. */
const MOST = 50;
/** Orders count for a click for this long. */
const KEPT_MS = 7 * 24 * 3600_000;
/** Time that a clicked page takes to open. */
const OPENS_MS = 60_000;

export function createClicks(shelf: Shelf, now: () => number): Clicks {
  const clicks = () => listOf(shelf.read("clicks"), isClick).filter(({ at }) => at <= now() && at > now() - KEPT_MS);
  const recommendationsOf = (products: Named) => {
    const names = new Set(products.flatMap(({ id, sku }) => [id, sku]));
    return [...new Set(clicks().flatMap((click) => (names.has(click.productId) ? click.recommendationId : [])))];
  };
  return {
    add(recommendationId, productId) {
      if (recommendationId === "") return;
      shelf.write("clicks", [...clicks(), { recommendationId, productId, at: now() }].slice(-MOST));
    },
    recommendationsOf,
    recommendationsOfView(product) {
      const found = recommendationsOf([product]);
      if (found.length > 0) return found;
      const last = clicks().at(-1);
      return last !== undefined && last.at > now() - OPENS_MS ? [last.recommendationId] : [];
    },
  };
}

function isClick(value: unknown): value is Click {
  if (!isObject(value) || typeof value.at !== "number") return false;
  return typeof value.recommendationId === "string" && typeof value.productId === "string";
}
