import ipaddr from "ipaddr.js";

/**
 * True for an address that anybody on the internet could be reached at: global unicast. False for loopback, private and
 * link-local ranges, shared address space, metadata services, multicast, reserved ranges, IPv4 addresses dressed as IPv6
 * ones of these kinds and those that lead through translators (NAT64, 6to4, Teredo), and for what is no address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  return ipaddr.process(text).range() === "unicast";
}
