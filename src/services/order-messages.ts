import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Order, sentOrderId } from "../domain/order.js";
import type { KeptOrderSchema } from "../gen/aisle/v1/personal_data_pb.js";
import { moneyMessage, timestampOf } from "./common-messages.js";

export function orderMessage(order: Order): MessageInitShape<typeof KeptOrderSchema> {
  return {
    orderId: sentOrderId(order),
    visitor: { ...order.visitor },
    contactId: order.contactId,
    lines: order.lines.map((line) => ({ ...line })),
    status: order.status,
    payment: moneyMessage(order.payment),
    orderTime: timestampOf(order.occurredAt),
    cancelled: order.cancelled,
  };
}
