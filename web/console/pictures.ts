/** Which pictures the console loads. */
import { type Product, ProductOrigin } from "../../src/gen/aisle/v1/product_pb.js";

/**
 * The hosts of pictures that the shop itself put into its catalogue. Anybody can send a product in an event, and its
 * picture would make the operator's browser call whatever address they chose; so a picture is loaded from these alone.
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

/** With the port: another one is another server. */
function hostOf(url: string): string | undefined {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: "", host: "" };
  return protocol === "https:" || protocol === "http:" ? host : undefined;
}
