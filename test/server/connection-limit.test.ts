import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPeerConnections } from "../../src/server/connection-limit.js";
import type { ConnectionsPerAddress } from "../../src/server/settings/config.js";

/** A connection from an address, as far as it is looked at. */
function from(remoteAddress: string): Socket & EventEmitter {
  return Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket;
}

function open(perAddress: ConnectionsPerAddress, { most = 100, exempt = [] as string[] } = {}) {
  const admits = createPeerConnections({ most, perAddress, exempt });
  /** So many connections from an address; those that were kept. */
  const connect = (address: string, count: number) =>
    Array.from({ length: count }, () => from(address)).filter((socket) => admits(socket));
  return { admits, connect };
}

describe("the connections of one address", () => {
  it("can be three quarters of all when there are no others", () => {
    expect(open("share").connect("192.0.2.1", 200)).toHaveLength(75);
  });

  it("leave places for others, who share the rest", () => {
    const { connect } = open("share");
    connect("192.0.2.1", 200);
    expect(connect("192.0.2.2", 200)).toHaveLength(19);
    expect(connect("192.0.2.3", 200).length).toBeGreaterThan(2);
  });

  it("are counted until they close", () => {
    const { connect } = open(5);
    const kept = connect("192.0.2.1", 10);
    expect(kept).toHaveLength(5);
    for (const socket of kept.slice(0, 2)) socket.emit("close");
    expect(connect("192.0.2.1", 10)).toHaveLength(2);
  });

  it("have no limit when none is set", () => {
    expect(open(Number.POSITIVE_INFINITY).connect("192.0.2.1", 100)).toHaveLength(100);
  });

  it("of a trusted proxy are not counted", () => {
    const { connect } = open(2, { exempt: ["10.0.0.0/8", "2001:db8::/32"] });
    expect(connect("10.1.2.3", 50)).toHaveLength(50);
    expect(connect("::ffff:10.1.2.3", 50)).toHaveLength(50);
    expect(connect("2001:db8::7", 50)).toHaveLength(50);
    expect(connect("192.0.2.1", 50)).toHaveLength(2);
  });

  it("are those of an IPv4 address in any notation, and of the /64 of an IPv6 address", () => {
    const { connect } = open(2);
    connect("192.0.2.1", 2);
    expect(connect("::ffff:192.0.2.1", 1)).toEqual([]);
    expect(connect("192.0.2.2", 1)).toHaveLength(1);
    connect("2001:db8:1:2::3", 2);
    expect(connect("2001:db8:1:2:ffff::9", 1)).toEqual([]);
    expect(connect("2001:db8:1:3::3", 1)).toHaveLength(1);
  });

  it("open and close in any order without losing a place", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 300 }), (steps) => {
        const { admits, connect } = open("share", { most: 40 });
        const kept: Socket[] = [];
        for (const [host, comes] of steps) {
          const socket = from(`192.0.2.${host}`);
          if (!comes) kept.shift()?.emit("close");
          else if (admits(socket)) kept.push(socket);
          expect(kept.length).toBeLessThan(40);
        }
        for (const socket of kept) socket.emit("close");
        expect(connect("192.0.2.9", 100)).toHaveLength(30);
      }),
    );
  });
});
