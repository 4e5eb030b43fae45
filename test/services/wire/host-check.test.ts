import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHostCheck } from "../../../src/services/wire/host-check.js";

describe("the host check on 127.0.0.1", () => {
  const allowed = createHostCheck("127.0.0.1", ["RPC.shop.example"]);

  it.each([
    "localhost",
    "LOCALHOST:8081",
    "127.0.0.1:1",
    "127.9.9.9",
    "[::1]:80",
    "::1:80",
    "::1:18081",
    "::1",
    "rpc.shop.example",
  ])("accepts %s", (authority) => expect(allowed(authority)).toBe(true));

  it.each([
    "",
    "shop.example",
    "localhost.attacker.example",
    "127.0.0.1.attacker.example",
    "192.168.1.5",
    "[2001:db8::1]",
    "2001:db8::1:80",
    "2001:db8::1:18081",
    "1::1:99999",
    "localhost:99999",
    "localhost:80:80",
    "localhost:",
    "user@localhost",
    "[localhost]",
    "[::1",
    "localhost/path",
    "a,localhost",
  ])("rejects %j", (authority) => expect(allowed(authority)).toBe(false));

  it("rejects everything that is no host of a URL", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9.:[\]@/]{0,12}$/)), (authority) => {
        if (allowed(authority) && !/^[0-9a-f:.]+$/i.test(authority))
          expect(new URL(`http://${authority}`).pathname).toBe("/");
      }),
    );
  });
});

it("the host check on all addresses accepts any address, and no other name", () => {
  for (const host of ["0.0.0.0", "::"]) {
    const allowed = createHostCheck(host, []);
    expect(["192.168.1.5:80", "[2001:db8::1]:80", "attacker.example"].map(allowed)).toEqual([true, true, false]);
  }
});

it("the host check on a name accepts that name", () => {
  expect(createHostCheck("Rpc.internal", [])("rpc.internal:8081")).toBe(true);
});
