/** Addresses of the internet, as sockets and headers write them. */
import { BlockList, isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The address in a text, which may have a port and a zone; an IPv4 one may be written as an IPv6 one. */
export function addressIn(text: string): Address | undefined {
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, "");
  // The library also reads `10.1` and `012.0x7f.0.1`.
  return isIP(address) !== 0 && ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

/** The first groups of an IPv6 address, in hexadecimal without leading zeros. */
export function groupsOf(address: Address, count: number): string {
  return address.toNormalizedString().split(":").slice(0, count).join(":");
}

/** Throws for an invalid address or prefix. */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length = ""] = network.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (length === "") list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

/** True for an address in the list. */
export function holds(list: BlockList, address: Address): boolean {
  return list.check(address.toString(), address.kind());
}
