import { describe, expect, it } from "vitest";
import { play, readPairs } from "./pair.js";
import { openRemoteTarget } from "./remote-target.js";

const PAIR_MS = 60_000;

describe("the facade answers the same when the services are in another process", () => {
  for (const { file, pair } of readPairs()) {
    it(
      `${file}, ${pair.row}: ${pair.note}`,
      async () => expect(await play(pair, openRemoteTarget)).toEqual([]),
      PAIR_MS,
    );
  }
});
