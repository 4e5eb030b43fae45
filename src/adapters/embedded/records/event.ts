import type { Event, EventContact, EventOrder, EventProduct, IdempotencyRecord } from "../../../domain/event.js";
import type { Cells, RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

const SENDERS = ["browser", "server"] as const;

export const eventRecord: RecordCodec<Event> = {
  toCells: (event) => [
    event.eventId,
    event.actionType,
    event.sender,
    event.occurredAt,
    event.receivedAt,
    event.visitor.clientId,
    event.visitor.fingerprintId,
    event.visitor.userId,
    event.contact === null ? null : contactCells(event.contact),
    event.products.map(productCells),
    cell.fromCategories(event.categories),
    event.order === null ? null : orderCells(event.order),
    event.searchQuery,
    event.platform,
    event.platformVersion,
    event.senderVersion,
    cell.fromTextMap(event.extraFields),
    event.notes,
    event.bot,
  ],
  fromCells: (cells) => ({
    eventId: cell.text(cells, 0),
    actionType: cell.text(cells, 1),
    sender: cell.oneOf(cells, 2, SENDERS),
    bot: cell.laterFlag(cells, 18),
    occurredAt: cell.number(cells, 3),
    receivedAt: cell.number(cells, 4),
    visitor: cell.visitorIds(cells, 5),
    contact: cells[8] === null ? null : contactFrom(cell.list(cells, 8)),
    products: cell.rows(cells, 9, productFrom),
    categories: cell.categories(cells, 10),
    order: cells[11] === null ? null : orderFrom(cell.list(cells, 11)),
    searchQuery: cell.text(cells, 12),
    platform: cell.text(cells, 13),
    platformVersion: cell.text(cells, 14),
    senderVersion: cell.text(cells, 15),
    extraFields: cell.textMap(cells, 16),
    notes: cell.texts(cells, 17),
  }),
};

function contactCells(contact: EventContact): unknown[] {
  return [
    contact.email,
    contact.phone,
    contact.firstName,
    contact.lastName,
    contact.country,
    contact.city,
    contact.gender,
    contact.birthDate,
    contact.tags,
    contact.emailSubscribed,
    contact.smsSubscribed,
  ];
}

function contactFrom(cells: Cells): EventContact {
  return {
    email: cell.text(cells, 0),
    phone: cell.text(cells, 1),
    firstName: cell.text(cells, 2),
    lastName: cell.text(cells, 3),
    country: cell.text(cells, 4),
    city: cell.text(cells, 5),
    gender: cell.text(cells, 6),
    birthDate: cell.text(cells, 7),
    tags: cell.texts(cells, 8),
    emailSubscribed: cell.flagOrNull(cells, 9),
    smsSubscribed: cell.flagOrNull(cells, 10),
  };
}

function productCells(product: EventProduct): unknown[] {
  return [
    product.productId,
    product.sku,
    product.variantId,
    product.title,
    product.imageUrl,
    product.url,
    product.quantity,
    product.available,
    cell.fromCategories(product.categories),
    product.brandId,
    product.brandName,
    product.price.amount,
    product.price.currency,
  ];
}

function productFrom(cells: Cells): EventProduct {
  return {
    productId: cell.text(cells, 0),
    sku: cell.text(cells, 1),
    variantId: cell.text(cells, 2),
    title: cell.text(cells, 3),
    imageUrl: cell.text(cells, 4),
    url: cell.text(cells, 5),
    quantity: cell.number(cells, 6),
    available: cell.flagOrNull(cells, 7),
    categories: cell.categories(cells, 8),
    brandId: cell.text(cells, 9),
    brandName: cell.text(cells, 10),
    price: { amount: cell.text(cells, 11), currency: cell.text(cells, 12) },
  };
}

function orderCells(order: EventOrder): unknown[] {
  return [
    order.orderId,
    order.status,
    order.payment.amount,
    order.payment.currency,
    order.basePayment.amount,
    order.basePayment.currency,
    order.coupon,
  ];
}

function orderFrom(cells: Cells): EventOrder {
  return {
    orderId: cell.text(cells, 0),
    status: cell.text(cells, 1),
    payment: { amount: cell.text(cells, 2), currency: cell.text(cells, 3) },
    basePayment: { amount: cell.text(cells, 4), currency: cell.text(cells, 5) },
    coupon: cell.text(cells, 6),
  };
}

export const idempotencyRecord: RecordCodec<IdempotencyRecord> = {
  toCells: (record) => [record.eventId, record.bodyHash, record.claimedAt],
  fromCells: (cells) => ({
    eventId: cell.text(cells, 0),
    bodyHash: cell.text(cells, 1),
    claimedAt: cell.number(cells, 2),
  }),
};
