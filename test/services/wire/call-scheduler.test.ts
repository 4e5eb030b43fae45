import { describe, expect, it } from "vitest";
import { type Caller, createCallScheduler } from "../../../src/services/wire/call-scheduler.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Each work takes a millisecond and says its name. */
function open() {
  let now = 0;
  const done: string[] = [];
  const turns = createCallScheduler(() => now);
  return {
    done,
    turns,
    ask(caller: Caller, ...names: string[]) {
      for (const name of names)
        turns.run(caller, () => {
          now++;
          done.push(name);
        });
    },
  };
}

const caller = (address: string) => ({ address, isBlocked: false });

describe("the call scheduler", () => {
  it("runs work at once while there is little, and then for 2 ms in a turn", async () => {
    const { ask, done } = open();
    ask(caller("a"), "1", "2", "3", "4", "5");
    expect(done).toEqual(["1", "2"]);
    await turn();
    expect(done).toEqual(["1", "2", "3", "4"]);
    await turn();
    expect(done).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("gives each address its turn, and each connection of the address", async () => {
    const { ask, done } = open();
    const [first, second, other] = [caller("a"), caller("a"), caller("b")];
    ask(first, "now", "now", "a1", "a2", "a3", "a4");
    ask(second, "A1", "A2");
    ask(other, "b1", "b2");
    for (let n = 0; n < 4; n++) await turn();
    expect(done.slice(2)).toEqual(["a1", "b1", "A1", "b2", "a2", "A2", "a3", "a4"]);
  });

  it("waits while a caller does not read its answers, and delays no other", async () => {
    const { ask, done, turns } = open();
    const [blocked, other] = [caller("a"), caller("b")];
    ask(blocked, "now", "now", "later");
    blocked.isBlocked = true;
    ask(blocked, "later, too");
    ask(other, "b");
    await turn();
    await turn();
    expect(done).toEqual(["now", "now", "b"]);
    blocked.isBlocked = false;
    turns.unblock(blocked);
    await turn();
    await turn();
    expect(done.slice(3)).toEqual(["later", "later, too"]);
  });

  it("drops the work of a caller that left", async () => {
    const { ask, done, turns } = open();
    const gone = caller("a");
    ask(gone, "now", "now", "never");
    turns.forget(gone);
    await turn();
    await turn();
    expect(done).toEqual(["now", "now"]);
  });
});
