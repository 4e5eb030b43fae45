/** Limits the connections of a listener for each address. */
import type { Socket } from "node:net";
import { type Address, addressIn, blockList, groupsOf, holds } from "../http/addresses.js";
import type { ConnectionsPerAddress } from "./settings/config.js";

export interface PeerConnectionsOptions {
  /** Connections of the listener at one time. */
  readonly most: number;
  readonly perAddress: ConnectionsPerAddress;
  /** Addresses and prefixes without a limit: proxies, which forward for many. */
  readonly exempt: readonly string[];
}

/**
 * An address may have so many times the free places: alone 3/4 of all, two of them 3/7 each. Some places always stay
 * free.
 */
const SHARE = 3;

/** Decides whether to keep a new connection, and counts it until it closes. */
export function createPeerConnections({
  most,
  perAddress,
  exempt,
}: PeerConnectionsOptions): (socket: Socket) => boolean {
  const held = new Map<string, number>();
  const exempted = blockList(exempt);
  let total = 0;

  return (socket) => {
    // A closed socket has none.
    const address = addressIn(socket.remoteAddress ?? "");
    const isExempt = address !== undefined && holds(exempted, address);
    const key = address === undefined || isExempt ? "" : keyOf(address);
    const count = held.get(key) ?? 0;
    const bound = perAddress === "share" ? SHARE * (most - total) : perAddress;
    if (!isExempt && count >= bound) return false;
    total++;
    if (key !== "") held.set(key, count + 1);
    socket.once("close", () => {
      total--;
      if (key === "") return;
      const left = (held.get(key) ?? 1) - 1;
      if (left === 0) held.delete(key);
      else held.set(key, left);
    });
    return true;
  };
}

/**
 * The unit of the limit: an IPv4 address, or the /64 of an IPv6 one, in which anybody has as many addresses as they
 * like.
 */
function keyOf(address: Address): string {
  return address.kind() === "ipv4" ? address.toString() : groupsOf(address, 4);
}
