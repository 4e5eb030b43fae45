import { afterAll, describe, it, onTestFinished } from "vitest";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { keptClockContract } from "../../contract/saved-clock.js";
import { storeContract } from "../../contract/store.js";
import { type MongoPeer, NO_PEER, openMongoPeer, openReplicaSetPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, openMongoOn, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();

if (peer === undefined) describe.skip(NO_PEER, () => it("keeps the contract of all ports", () => undefined));
else keepsContract(peer);
keepsContract(await openReplicaSetPeer());

function keepsContract(on: MongoPeer): void {
  afterAll(() => on.stop());
  storeContract(`mongo on ${on.name}`, openMongoOn(on));
  keptClockContract(
    `mongo on ${on.name}`,
    async () => {
      const database = databaseName();
      onTestFinished(() => on.drop(database));
      const url = on.url(database);
      return (clock) => openMongoStore({ url, now: clock.now, clock, limits: PATIENT });
    },
    true,
  );
}
