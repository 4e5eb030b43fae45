import { afterAll, onTestFinished } from "vitest";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { keptClockContract } from "../../contract/saved-clock.js";
import { storeContract } from "../../contract/store.js";
import { openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, openMongoOn, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

storeContract(`mongo on ${peer.name}`, openMongoOn(peer));
keptClockContract(
  `mongo on ${peer.name}`,
  async () => {
    const database = databaseName();
    onTestFinished(() => peer.drop(database));
    const url = peer.url(database);
    return (clock) => openMongoStore({ url, now: clock.now, clock, limits: PATIENT });
  },
  true,
);
