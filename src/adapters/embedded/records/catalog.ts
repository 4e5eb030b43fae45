import { DataDamaged } from "../../../domain/errors.js";
import type { Interaction } from "../../../domain/interaction.js";
import type { Order, OrderLine } from "../../../domain/order.js";
import type { LearnedFrom, Product } from "../../../domain/product.js";
import type { Cells, RecordCodec } from "../codec.js";
import { TIME_LENGTH, timeOf, unpart } from "../keys.js";
import * as cell from "./cells.js";

const ORIGINS = ["catalog", "event"] as const;

export const productRecord: RecordCodec<Product> = {
  toCells: (product) => [
    product.productId,
    product.sku,
    product.variantGroupId,
    product.title,
    product.description,
    cell.fromCategories(product.categories),
    product.brand,
    product.price.amount,
    product.price.currency,
    product.url,
    product.imageUrl,
    product.available,
    product.hidden,
    product.tags,
    cell.fromTextMap(product.attributes),
    product.origin,
    product.updatedAt,
    learnedCells(product.learnedFrom),
    product.hiddenByFeed,
    product.addedAt,
  ],
  fromCells: (cells) => ({
    productId: cell.text(cells, 0),
    sku: cell.text(cells, 1),
    variantGroupId: cell.text(cells, 2),
    title: cell.text(cells, 3),
    description: cell.text(cells, 4),
    categories: cell.categories(cells, 5),
    brand: cell.text(cells, 6),
    price: { amount: cell.text(cells, 7), currency: cell.text(cells, 8) },
    url: cell.text(cells, 9),
    imageUrl: cell.text(cells, 10),
    available: cell.flag(cells, 11),
    hidden: cell.flag(cells, 12),
    tags: cell.texts(cells, 13),
    attributes: cell.textMap(cells, 14),
    origin: cell.oneOf(cells, 15, ORIGINS),
    updatedAt: cell.number(cells, 16),
    learnedFrom: cell.hasLater(cells, 17) && cells[17] !== null ? learnedFrom(cell.list(cells, 17)) : null,
    hiddenByFeed: cell.laterFlag(cells, 18),
    addedAt: cell.numberOr(cells, 19, 0),
  }),
};

function learnedCells(from: LearnedFrom | null): unknown[] | null {
  return from === null ? null : [from.count, from.confirmed, from.visitors];
}

function learnedFrom(cells: Cells): LearnedFrom {
  return { count: cell.number(cells, 0), confirmed: cell.flag(cells, 1), visitors: cell.texts(cells, 2) };
}

export const orderRecord: RecordCodec<Order> = {
  toCells: (order) => [
    order.orderId,
    order.visitorId,
    order.visitor.clientId,
    order.visitor.fingerprintId,
    order.visitor.userId,
    order.contactId,
    order.lines.flatMap((line) => [line.productId, line.quantity]),
    order.status,
    order.statusAt,
    order.payment.amount,
    order.payment.currency,
    order.occurredAt,
    order.cancelled,
    order.bot,
  ],
  fromCells: (cells) => ({
    orderId: cell.text(cells, 0),
    visitorId: cell.text(cells, 1),
    visitor: cell.visitorIds(cells, 2),
    contactId: cell.text(cells, 5),
    lines: orderLines(cells, 6),
    status: cell.text(cells, 7),
    statusAt: cell.number(cells, 8),
    payment: { amount: cell.text(cells, 9), currency: cell.text(cells, 10) },
    occurredAt: cell.number(cells, 11),
    cancelled: cell.flag(cells, 12),
    bot: cell.laterFlag(cells, 13),
  }),
};

function orderLines(cells: Cells, i: number): OrderLine[] {
  const flat = cell.list(cells, i);
  const lines: OrderLine[] = [];
  for (let n = 0; n < flat.length; n += 2) {
    lines.push({ productId: cell.text(flat, n), quantity: cell.number(flat, n + 1) });
  }
  return lines;
}

const BOT = "";

const TYPES = ["product_view", "add_to_cart", "order"] as const;

/**
 * Time and ref of an interaction are kept in its key only. An empty id behind those of the products says that a robot
 * did it: an older Aisle takes it for a product that is not there.
 */
export const interactionRecord: RecordCodec<Interaction> = {
  toCells: ({ type, productIds, bot }) => [TYPES.indexOf(type), ...productIds, ...(bot ? [BOT] : [])],
  fromCells: (cells, key) => {
    const start = key.indexOf("\0", key.indexOf("\0") + 1) + 1;
    const type = TYPES[cell.number(cells, 0)];
    if (type === undefined) throw new DataDamaged("A stored interaction has an unknown type");
    const productIds: string[] = [];
    for (let n = 1; n < cells.length - 1; n++) productIds.push(cell.text(cells, n)); // the last cell is the checksum
    const isBot = productIds.at(-1) === BOT;
    if (isBot) productIds.pop();
    return {
      type,
      at: timeOf(key, start),
      productIds,
      ref: unpart(key.slice(start + TIME_LENGTH)),
      ...(isBot && { bot: true }),
    };
  },
};
