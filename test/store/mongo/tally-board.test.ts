import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Tally } from "../../../src/store/ports/tally-board.js";
import { openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

async function boards() {
  const database = databaseName();
  const clock = { at: 1_000_000 };
  const open = () => openMongoStore({ url: peer.url(database), now: () => clock.at, limits: PATIENT });
  const [one, two] = await Promise.all([open(), open()]);
  onTestFinished(async () => {
    await Promise.all([one.close(), two.close()]);
    await peer.drop(database);
  });
  return { clock, one: one.tallies!, two: two.tallies! };
}

const tally = (admitted: number): Tally => ({ key: "shop", count: "c", admitted, wanted: 2.5, debt: 0.1 });

describe(`the board of tallies: ${peer.name}`, () => {
  it("shows each server what the others showed last, and not its own", async () => {
    const { one, two } = await boards();
    expect(await one.exchange({ holder: "one", tallies: [tally(1)] })).toEqual([]);
    expect(await two.exchange({ holder: "two", tallies: [] })).toEqual([{ holder: "one", tallies: [tally(1)] }]);
    expect(await one.exchange({ holder: "one", tallies: [tally(2)] })).toEqual([{ holder: "two", tallies: [] }]);
    expect(await two.exchange({ holder: "two", tallies: [] })).toEqual([{ holder: "one", tallies: [tally(2)] }]);
  });

  it("forgets a server that leaves, and one that is gone for ten minutes", async () => {
    const { clock, one, two } = await boards();
    await one.exchange({ holder: "one", tallies: [tally(1)] });
    await one.leave("one");
    expect(await two.exchange({ holder: "two", tallies: [tally(1)] })).toEqual([]);
    clock.at += 11 * 60_000;
    expect(await one.exchange({ holder: "one", tallies: [] })).toEqual([]);
  });
});
