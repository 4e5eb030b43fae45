import type { VisitorIds } from "../../src/gen/aisle/v1/visitor_pb.js";
import { useSurroundings } from "./context.js";
import { ErrorNote, Status, Table, Time } from "./parts.js";
import { priceText } from "./products.js";
import { hashOf } from "./route.js";
import { useLoad } from "./use-load.js";

/** One order, merged from all its events, with links to its products. */
export function OrderCard(props: {
  readonly appId: string;
  readonly orderId: string;
  readonly onVisitor: (id: string) => void;
}) {
  const { appId, orderId, onVisitor } = props;
  const { clients } = useSurroundings();
  const load = useLoad(
    async (signal) => {
      const { order } = await clients.events.getOrder({ appId, orderId }, { signal });
      const productIds = order?.lines.map(({ productId }) => productId) ?? [];
      if (productIds.length === 0) return { order, products: [] };
      const { products } = await clients.catalog.batchGetProducts({ appId, productIds }, { signal });
      return { order, products };
    },
    [appId, orderId],
  );
  const { order, products = [] } = load.value ?? {};
  const visitor = anyId(order?.visitor);
  const titleOf = (id: string) => products.find(({ productId }) => productId === id)?.title || id;
  return (
    <section class="card" aria-labelledby="order">
      <h2 id="order">Order {orderId}</h2>
      <ErrorNote error={load.error} />
      <Status>{load.value === undefined && load.error === undefined ? "Loading …" : ""}</Status>
      {order && (
        <>
          <dl class="facts">
            <div>
              <dt>Ordered</dt>
              <dd>
                <Time at={order.orderTime} />
              </dd>
            </div>
            <div>
              <dt>Paid</dt>
              <dd>{priceText(order.payment) || "not known"}</dd>
            </div>
            <div>
              <dt>Status</dt>
              <dd>{order.cancelled ? "cancelled" : order.status || "not said"}</dd>
            </div>
          </dl>
          <Table label={`Products of order ${orderId}`}>
            <thead>
              <tr>
                <th scope="col">Product</th>
                <th scope="col" class="number">
                  Number
                </th>
              </tr>
            </thead>
            <tbody>
              {order.lines.map(({ productId, quantity }) => (
                <tr key={productId}>
                  <th scope="row">
                    <a href={hashOf({ appId, page: "products", details: { q: productId } })}>{titleOf(productId)}</a>
                  </th>
                  <td class="number">{quantity}</td>
                </tr>
              ))}
            </tbody>
          </Table>
          <div class="row">
            {visitor !== "" && (
              <button type="button" class="small" onClick={() => onVisitor(visitor)}>
                Events of this visitor
              </button>
            )}
            {order.contactId !== "" && (
              <a href={hashOf({ appId, page: "subscriptions", details: { contact: order.contactId } })}>Contact</a>
            )}
          </div>
        </>
      )}
    </section>
  );
}

function anyId(visitor: VisitorIds | undefined): string {
  return visitor?.fingerprintId || visitor?.clientId || visitor?.userId || "";
}
