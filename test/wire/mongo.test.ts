import { afterAll, describe, expect, it } from "vitest";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { openTargetOver } from "./app-target.js";
import { play, readPairs } from "./pair.js";
import { mongoWireStore } from "./store.js";

const PAIR_MS = 120_000;
/** Long enough for a peer on a busy machine; what happens past it is shown by test/store/mongo/outage.test.ts. */
const PATIENT = { answerMs: 30_000, historyMs: 30_000, settingsMs: 30_000 };

const peer = await openMongoPeer();
afterAll(() => peer.stop());

describe(`the answers are the same over MongoDB: ${peer.name}`, () => {
  for (const { file, pair } of readPairs()) {
    it(
      `${file}, ${pair.row}: ${pair.note}`,
      async () => {
        expect(await play(pair, (options) => openTargetOver(mongoWireStore(peer), options, PATIENT))).toEqual([]);
      },
      PAIR_MS,
    );
  }
});
