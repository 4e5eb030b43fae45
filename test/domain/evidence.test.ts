import { expect, it } from "vitest";
import { evidenceNetwork } from "../../src/domain/evidence.js";

it.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["192.0.2.0/24", "192.0.2.0/24"],
  ["2001:db8:1:200::/56", "2001:db8:1::/48"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:DB8::1", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["192.0.0.0/16", ""],
  ["2001:db8::/32", ""],
  ["fe80::1%eth0", ""],
  ["private", ""],
  ["unnamed proxy", ""],
  ["", ""],
])("the network that evidence keeps of %j is %j", (text, network) => {
  expect(evidenceNetwork(text)).toBe(network);
});
