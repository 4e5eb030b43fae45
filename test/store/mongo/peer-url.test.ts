import { expect, it } from "vitest";
import { withDatabase } from "../../fixtures/mongo-peer.js";

it.each([
  ["mongodb://127.0.0.1:27017/", "mongodb://127.0.0.1:27017/shop"],
  ["mongodb://a:1,b:2,c:3/?replicaSet=rs0", "mongodb://a:1,b:2,c:3/shop?replicaSet=rs0"],
  ["mongodb://user:p%2Fw@a,b/admin?authSource=admin", "mongodb://user:p%2Fw@a,b/shop?authSource=admin"],
  ["mongodb+srv://cluster.example", "mongodb+srv://cluster.example/shop"],
])("the MongoDB tests use the database at %s", (url, expected) => {
  expect(withDatabase(url, "shop")).toBe(expected);
});
