/** Decides which pictures the console loads. */
import { type Product, ProductOrigin } from "../../src/gen/aisle/v1/product_pb.js";

/**
 * The picture hosts of the shop's own products. Anybody can send a product in an event, and its picture would make the
 * operator's browser call any address. So pictures are loaded from these hosts only.
 */
export function pictureHosts(products: readonly Product[]): ReadonlySet<string> {
  return new Set(
    products.flatMap(({ origin, imageUrl }) => (origin === ProductOrigin.CATALOG ? (hostOf(imageUrl) ?? []) : [])),
  );
}

export function isOnOneOf(hosts: ReadonlySet<string>, url: string): boolean {
  const host = hostOf(url);
  return host !== undefined && hosts.has(host);
}

/** With the port: another port is another server. */
function hostOf(url: string): string | undefined {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: "", host: "" };
  return protocol === "https:" || protocol === "http:" ? host : undefined;
}
