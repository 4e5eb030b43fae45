import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import type { Event, EventProduct } from "../domain/event.js";
import {
  type Event as EventMessage,
  type EventProduct as EventProductMessage,
  type EventSchema,
  SenderType,
} from "../gen/aisle/v1/event_pb.js";
import type { PublicSender } from "../gen/aisle/v1/event_service_pb.js";
import type { SentEvent } from "../intake/normalise.js";
import { moneyMessage, moneyOf, msOf, timestampOf, visitorIdsOf } from "./common-messages.js";

/** Longer than any address or network prefix. */
const MAX_NETWORK = 64;
/** Characters of the digest that a facade sends. */
const MAX_DIGEST = 64;

/**
 * The event as it was sent. `sender` is set when the event came by the public port, `sentDigest` when it came as a form.
 * Throws InvalidArgument when there is no event.
 */
export function sentEvent(message: EventMessage | undefined, sender?: PublicSender, sentDigest = ""): SentEvent {
  if (message === undefined) throw new InvalidArgument("event", "missing");
  if (sender !== undefined && sender.network.length > MAX_NETWORK)
    throw new InvalidArgument("public_sender.network", "invalid", `at most ${MAX_NETWORK} characters`);
  if (sender !== undefined && sender.address.length > MAX_NETWORK)
    throw new InvalidArgument("public_sender.address", "invalid", `at most ${MAX_NETWORK} characters`);
  if (sentDigest.length > MAX_DIGEST)
    throw new InvalidArgument("sent_digest", "invalid", `at most ${MAX_DIGEST} characters`);
  const { contact, order } = message;
  return {
    sentBy: sender,
    isShops: sender === undefined,
    sentDigest,
    eventId: "",
    receivedAt: 0,
    notes: [],
    actionType: message.actionType,
    sender: message.senderType === SenderType.SERVER ? "server" : "browser",
    bot: message.bot,
    // 0 stands for none: a time that was sent is at least as implausible as 1.
    occurredAt: message.eventTime === undefined ? 0 : msOf(message.eventTime) || 1,
    visitor: visitorIdsOf(message.visitor),
    contact: contact
      ? {
          email: contact.email,
          phone: contact.phone,
          firstName: contact.firstName,
          lastName: contact.lastName,
          country: contact.country,
          city: contact.city,
          gender: contact.gender,
          birthDate: contact.birthDate,
          tags: contact.tags,
          emailSubscribed: contact.emailSubscribed ?? null,
          smsSubscribed: contact.smsSubscribed ?? null,
        }
      : null,
    products: message.products.map(sentProduct),
    categories: message.categories,
    order: order
      ? {
          orderId: order.orderId,
          status: order.status,
          payment: moneyOf(order.payment),
          basePayment: moneyOf(order.basePayment),
          coupon: order.coupon,
        }
      : null,
    searchQuery: message.searchQuery,
    platform: message.platform,
    platformVersion: message.platformVersion,
    senderVersion: message.senderVersion,
    extraFields: message.extraFields,
    recommendationIds: message.recommendationIds,
  };
}

function sentProduct(product: EventProductMessage): EventProduct {
  return {
    productId: product.productId,
    sku: product.sku,
    variantId: product.variantId,
    title: product.title,
    imageUrl: product.imageUrl,
    url: product.url,
    quantity: product.quantity,
    available: product.available ?? null,
    categories: product.categories,
    brandId: product.brandId,
    brandName: product.brandName,
    price: moneyOf(product.price),
  };
}

/** A stored event as callers see it. */
export function eventMessage(event: Event): MessageInitShape<typeof EventSchema> {
  return {
    eventId: event.eventId,
    actionType: event.actionType,
    senderType: event.sender === "server" ? SenderType.SERVER : SenderType.BROWSER,
    bot: event.bot,
    eventTime: timestampOf(event.occurredAt),
    receiveTime: timestampOf(event.receivedAt),
    visitor: { ...event.visitor },
    contact:
      event.contact === null
        ? undefined
        : {
            ...event.contact,
            tags: [...event.contact.tags],
            emailSubscribed: event.contact.emailSubscribed ?? undefined,
            smsSubscribed: event.contact.smsSubscribed ?? undefined,
          },
    products: event.products.map((product) => ({
      ...product,
      available: product.available ?? undefined,
      categories: product.categories.map((category) => ({ ...category })),
      price: moneyMessage(product.price),
    })),
    categories: event.categories.map((category) => ({ ...category })),
    order:
      event.order === null
        ? undefined
        : {
            orderId: event.order.orderId,
            status: event.order.status,
            payment: moneyMessage(event.order.payment),
            basePayment: moneyMessage(event.order.basePayment),
            coupon: event.order.coupon,
          },
    searchQuery: event.searchQuery,
    platform: event.platform,
    platformVersion: event.platformVersion,
    senderVersion: event.senderVersion,
    extraFields: { ...event.extraFields },
    recommendationIds: [...event.recommendationIds],
    notes: [...event.notes],
  };
}

/** The id of an event that is stored: a call that only tries stores none, but may find one under its key. */
export function keptEventId(eventId: string, isKnown: boolean, isTried: boolean): string {
  return isTried && !isKnown ? "" : eventId;
}
