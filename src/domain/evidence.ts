import { isIPv4, isIPv6 } from "node:net";

/** What proves a statement about a subscription, as a form or the shop tells it; "" where nothing was said. */
export interface Evidence {
  /** The text that the person agreed to. */
  readonly wording: string;
  /** Where the form was, for example `footer` or the address of its page. */
  readonly place: string;
  /** The person's network: IPv4 /24, IPv6 /48. Never the whole address. */
  readonly network: string;
}

/** The network of an address or of a narrower network; "" for any other text. */
export function evidenceNetwork(text: string): string {
  const [address = "", bits, ...rest] = text.trim().split("/");
  if (rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return "";
  const prefix = Number(bits ?? 128);
  if (isIPv4(address)) return prefix >= 24 ? `${address.slice(0, address.lastIndexOf("."))}.0/24` : "";
  if (!isIPv6(address) || address.includes("%") || prefix < 48) return "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return evidenceNetwork(mapped);
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [before, after] = [head, tail].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => "0");
  return `${[...(before ?? []), ...zeros, ...(after ?? [])].slice(0, 3).join(":")}::/48`;
}

/** Null when nothing was said. */
export function evidenceOf(evidence: Evidence): Evidence | null {
  return evidence.wording === "" && evidence.place === "" && evidence.network === "" ? null : evidence;
}
