import { afterAll, describe, it } from "vitest";
import { storeContract } from "../../contract/store.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { openMongoOn } from "./open-mongo.js";

const peer = await openMongoPeer();

if (peer === undefined) {
  describe.skip(NO_PEER, () => it("keeps the contract of all ports", () => undefined));
} else {
  afterAll(() => peer.stop());
  storeContract(`mongo on ${peer.name}`, openMongoOn(peer));
}
