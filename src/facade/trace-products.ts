/**
 * The product lists of a trace form: `|` between products, in every list the same product at the same place; `~`
 * between the category levels of one product. The ids (or, without ids, the SKUs) say how many products there are: what
 * another list has beyond them is dropped, what it lacks is unknown. Lists are read as far as an event can keep them, so
 * that 128 KiB of separators cost no more than a long order.
 */
import type { EventCategory, EventProduct } from "../gen/aisle/v1/event_pb.js";
import { isNothing, trimSpaces } from "./text-values.js";
import type { Read } from "./trace-event.js";

const NO_SLOTS: readonly string[] = [];
const MAX_QUANTITY = 0xffff_ffff;

/** Maximum places of a list: one more than an event keeps, so that intake notes left-out products. */
const MAX_PLACES = 1001;

/** Maximum category levels of a product: twice as many as an event keeps. */
const MAX_LEVELS = 64;

/** The products of a form, without places that have neither id nor SKU. */
export function readProducts(read: Read): EventProduct[] {
  const ids = slots(read("product_ids"));
  const skus = slots(read("product_skus"));
  const count = ids.length > 0 ? ids.length : skus.length;
  if (count === 0) return [];
  const variants = slots(read("product_variant_ids"));
  const titles = slots(read("product_titles"));
  const images = slots(read("product_images"));
  const urls = slots(read("product_urls"));
  const quantities = slots(read("product_counts"));
  const availability = slots(read("product_availability"));
  const brandIds = slots(read("product_brand_ids"));
  const brandNames = slots(read("product_brand_names"));
  const categoryIds = slots(read("product_category_ids"));
  const categoryNames = slots(read("product_category_names"));
  const products: EventProduct[] = [];
  for (let place = 0; place < count; place++) {
    const productId = at(ids, place);
    const sku = at(skus, place);
    if (productId === "" && sku === "") continue;
    products.push({
      $typeName: "aisle.v1.EventProduct",
      productId,
      sku,
      variantId: at(variants, place),
      title: at(titles, place),
      imageUrl: at(images, place),
      url: at(urls, place),
      quantity: readQuantity(at(quantities, place)),
      available: readAvailable(at(availability, place)),
      categories: categoryPath(at(categoryIds, place), at(categoryNames, place)),
      brandId: at(brandIds, place),
      brandName: at(brandNames, place),
      price: undefined,
    });
  }
  return products;
}

/** The category path at one place of the lists, from broad to narrow. */
export function readCategories(read: Read, place: number): EventCategory[] {
  return categoryPath(at(slots(read("product_category_ids")), place), at(slots(read("product_category_names")), place));
}

function categoryPath(ids: string, names: string): EventCategory[] {
  if (ids === "") return [];
  const levels = parts(ids, "~", MAX_LEVELS);
  const levelNames = parts(names, "~", MAX_LEVELS);
  const path: EventCategory[] = [];
  for (let level = 0; level < levels.length; level++) {
    const categoryId = at(levels, level);
    if (categoryId === "") continue;
    path.push({ $typeName: "aisle.v1.EventCategory", categoryId, name: at(levelNames, level) });
  }
  return path;
}

function slots(text: string): readonly string[] {
  return text === "" ? NO_SLOTS : parts(text, "|", MAX_PLACES);
}

/** As `split`. Most lists have one element, and this check takes a fifth of the time. */
function parts(text: string, separator: string, limit: number): readonly string[] {
  return text.includes(separator) ? text.split(separator, limit) : [text];
}

function at(list: readonly string[], place: number): string {
  const value = list[place];
  return value === undefined || isNothing(value) ? "" : trimSpaces(value);
}

/** 0 when no usable value was sent, which the message reads as unknown. */
function readQuantity(text: string): number {
  if (text === "") return 0;
  const quantity = Math.floor(Number(text));
  return quantity >= 1 && quantity <= MAX_QUANTITY ? quantity : 0;
}

/** Senders write availability in many ways; any other text means unknown. */
function readAvailable(text: string): boolean | undefined {
  switch (text.length === 1 ? text : text.toLowerCase().replaceAll(/[\s_-]/g, "")) {
    case "1":
    case "true":
    case "yes":
    case "instock":
    case "available":
      return true;
    case "0":
    case "false":
    case "no":
    case "outofstock":
    case "unavailable":
    case "soldout":
      return false;
    default:
      return undefined;
  }
}
