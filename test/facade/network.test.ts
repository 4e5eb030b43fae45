import { describe, expect, it } from "vitest";
import { createSenderOf, type NetworkOptions, NO_NETWORKS } from "../../src/facade/sender.js";

/** A request from an address, with its `X-Forwarded-For` and other headers. */
function request(address: string | undefined, forwardedFor?: string, more: Record<string, string> = {}) {
  const headers = { ...more, ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }) };
  return { socket: { remoteAddress: address }, headers };
}

/** "the shop" for its own servers, else the prefix. */
function networkOf(address: string | undefined, forwardedFor?: string, options: Partial<NetworkOptions> = {}): string {
  return createSenderOf({ ...NO_NETWORKS, ...options })(request(address, forwardedFor))?.network ?? "the shop";
}

describe("the network of a request", () => {
  it.each([
    ["203.0.113.77", "203.0.113.0/24"],
    ["::ffff:203.0.113.77", "203.0.113.0/24"],
    ["2001:db8:12:34ff:1:2:3:4", "2001:db8:12::/48"],
    ["2001:db8::7", "2001:db8:0::/48"],
    ["2001:db8:1:2ab:3:4:192.0.2.1", "2001:db8:1::/48"],
    ["64:ff9b::203.0.113.77", "64:ff9b:0::/48"],
  ])("from %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "100.64.0.9",
    "169.254.1.1",
    "::1",
    "fd00::1",
    "fe80::1%eth0",
    "::ffff:10.0.0.1",
    undefined,
    "",
    "nonsense",
  ])("from %s is the shared one of private addresses", (address) => expect(networkOf(address)).toBe("private"));

  it("is shared by all who come through a private address that is no trusted proxy, and the first is logged", () => {
    let told = 0;
    const senderOf = createSenderOf(NO_NETWORKS, () => told++);
    for (const address of ["10.0.0.1", "172.17.0.2", "127.0.0.1", "::1", "fd00::1"])
      expect(senderOf(request(address, "198.51.100.1"))?.network).toBe("unnamed proxy");
    expect(told).toBe(1);
    expect(senderOf(request("10.0.0.1"))?.network).toBe("private");
    expect(told).toBe(1);
  });

  it("does not depend on headers of an untrusted peer", () => {
    expect(networkOf("203.0.113.77", "198.51.100.1")).toBe("203.0.113.0/24");
  });

  it.each([
    ["198.51.100.1", "198.51.100.0/24"],
    ["6.6.6.6, 198.51.100.1", "198.51.100.0/24"],
    ["6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.0/24"],
    ["198.51.100.1:4711", "198.51.100.0/24"],
    ["[2001:db8::7]:443", "2001:db8:0::/48"],
    ["198.51.100.1, 172.17.0.2", "unnamed proxy"],
    ["172.17.0.2", "private"],
    ["198.51.100.1, unknown", "unnamed proxy"],
    ["", "private"],
    [`6.6.6.6,${"10.0.0.9,".repeat(40)}10.0.0.9`, "private"],
  ])("is that of the last untrusted address behind a trusted proxy: %s gives %s", (header, network) => {
    expect(networkOf("10.0.0.1", header, { trustedProxies: ["10.0.0.0/8"] })).toBe(network);
  });

  it("is the shop's for its own servers, behind a proxy too, and for no one who only claims so", () => {
    const options = { trustedProxies: ["10.0.0.1"], shopNetworks: ["203.0.113.7", "2001:db8::/32"] };
    expect(networkOf("203.0.113.7", undefined, options)).toBe("the shop");
    expect(networkOf("10.0.0.1", "203.0.113.7", options)).toBe("the shop");
    expect(networkOf("2001:db8::9", undefined, options)).toBe("the shop");
    expect(networkOf("203.0.113.8", "203.0.113.7", options)).toBe("203.0.113.0/24");
  });
});

describe("the exact address of a request", () => {
  const PROXY = { trustedProxies: ["10.0.0.1", "192.0.2.1"] };
  const addressOf = (address: string, forwardedFor?: string, more: Record<string, string> = {}) =>
    createSenderOf({ ...NO_NETWORKS, ...PROXY })(request(address, forwardedFor, more))?.address;

  it.each([
    ["203.0.113.77", undefined, "203.0.113.77"],
    ["::ffff:203.0.113.77", undefined, "203.0.113.77"],
    ["2001:db8::7", undefined, "2001:db8:0:0:0:0:0:7"],
    ["2001:DB8:0::0007", undefined, "2001:db8:0:0:0:0:0:7"],
    ["10.0.0.1", "203.0.113.77", "203.0.113.77"],
    ["10.0.0.1", "203.0.113.77:4711", "203.0.113.77"],
  ])("is known for %s, forwarded for %s", (address, forwardedFor, exact) => {
    expect(addressOf(address, forwardedFor)).toBe(exact);
  });

  it.each([
    ["a private address", "10.9.9.9", undefined],
    ["this machine", "127.0.0.1", undefined],
    ["a public proxy that is not trusted", "203.0.113.77", "198.51.100.1"],
    ["a proxy with an empty header", "203.0.113.77", ""],
    ["a trusted proxy that forwards for nobody", "192.0.2.1", undefined],
    ["a trusted proxy behind an unnamed one", "10.0.0.1", "198.51.100.1, 203.0.113.77"],
    ["a trusted proxy before a private address", "10.0.0.1", "172.17.0.2"],
  ])("is not known of %s", (_, address, forwardedFor) => {
    expect(addressOf(address, forwardedFor)).toBe("");
  });

  it("is not known where another header tells of a proxy", () => {
    for (const name of ["via", "forwarded", "x-real-ip", "cf-connecting-ip", "x-forwarded-proto", "true-client-ip"])
      expect(addressOf("203.0.113.77", undefined, { [name]: "1" })).toBe("");
    expect(addressOf("203.0.113.77", undefined, { "user-agent": "curl", accept: "*/*" })).toBe("203.0.113.77");
  });
});
