import { describe, expect, it } from "vitest";
import type { Doctor, DoctorRequest, DoctorStep } from "../../src/cli/doctor-command.js";
import { verdict } from "../../src/server/doctor.js";
import { runCommand } from "./run-command.js";

const FINE: DoctorStep = { finding: { about: "disk", state: "ok", text: "much is\nfree" } };
const NOTE: DoctorStep = { finding: { about: "topology", state: "note", text: "one server" } };
const BAD: DoctorStep = { finding: { about: "clock", state: "problem", text: "wrong" } };

const PLAIN = { store: undefined, verify: false, repair: false, partPlaceholders: false };

function seeing(...steps: DoctorStep[]) {
  const asked: DoctorRequest[] = [];
  const doctor: Doctor = async function* (request) {
    asked.push(request);
    yield* steps;
  };
  return { doctor, asked };
}

describe("aisle doctor", () => {
  it("passes on what to check", async () => {
    const { doctor, asked } = seeing();
    await runCommand(["doctor"], { doctor });
    await runCommand(["doctor", "--store", "embedded:x", "--verify"], { doctor });
    await runCommand(["doctor", "--repair"], { doctor });
    await runCommand(["doctor", "--part-placeholders"], { doctor });
    expect(asked).toEqual([
      PLAIN,
      { ...PLAIN, store: "embedded:x", verify: true },
      { ...PLAIN, repair: true },
      { ...PLAIN, partPlaceholders: true },
    ]);
  });

  it("says how to repair a wrong index of contacts, and to restore a backup after other damage", () => {
    const fault = (table: string, kind: string) => ({ table, kind, appId: "shop", key: "k" });
    const judged = (...faults: ReturnType<typeof fault>[]) =>
      verdict({ entries: { contacts: 3 }, faultCount: faults.length, faults, failure: "" }).text;
    const mendable = [fault("contactKeys", "index"), fault("contacts", "unindexed")];
    expect(judged(...mendable)).toBe(
      "3 records read, no faults; 2 entries of the index of contacts are wrong; stop its servers and run `aisle doctor --repair`",
    );
    expect(judged(...mendable, fault("contacts", "value"))).toMatch(/restore a backup$/);
  });

  it("prints one line for each finding, and exits with 0 when there is no problem", async () => {
    const { exitCode, stdout } = await runCommand(["doctor"], seeing(FINE, NOTE));
    expect(exitCode).toBe(0);
    expect(stdout).toBe("ok       disk            much is free\nnote     topology        one server\n");
  });

  it("exits with 1 when there is a problem", async () => {
    expect(await runCommand(["doctor"], seeing(FINE, BAD))).toMatchObject({
      exitCode: 1,
      stderr: "error: 1 problem was found\n",
    });
    expect((await runCommand(["doctor"], seeing(BAD, BAD))).stderr).toBe("error: 2 problems were found\n");
  });

  it("counts faults by table, kind and app, and shows keys only in JSON", async () => {
    const fault = (key: string) => ({ table: "events", kind: "value", appId: "shop", key });
    const faults = [fault("secret 1"), fault("secret 2")];
    const verification = { entries: { events: 5 }, faultCount: 7, faults, failure: "" };
    const step = { finding: { ...BAD.finding, about: "verify" }, verification };
    const { stdout } = await runCommand(["doctor", "--verify"], seeing(step));
    expect(stdout).toMatch(/^events +value +shop +2$/m);
    expect(stdout).toContain("and 5 more\n");
    expect(stdout).not.toContain("secret");
    const json = await runCommand(["doctor", "--verify", "--json"], seeing(FINE, step));
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toEqual({
      healthy: false,
      findings: [FINE.finding, step.finding],
      verification,
    });
  });

  it("names joined visitors and contacts with an unusable address by their ids only in JSON", async () => {
    const joined = [{ visitorId: "secret-1", words: ["0"], ids: 2, contacts: 1, events: 3, orders: 1 }];
    const visitors = { finding: { ...BAD.finding, about: "visitors" }, people: { appId: "shop", joined } };
    const contacts = { finding: { ...NOTE.finding }, people: { appId: "shop", contactIds: ["secret-2"] } };
    const { stdout, exitCode } = await runCommand(["doctor"], seeing(visitors, contacts));
    expect([exitCode, stdout]).toEqual([1, expect.not.stringContaining("secret")]);
    const json = await runCommand(["doctor", "--json"], seeing(visitors, contacts));
    expect(JSON.parse(json.stdout)).toMatchObject({ people: [visitors.people, contacts.people] });
  });

  it("refuses to part visitors of a store that it writes anew", async () => {
    const { doctor, asked } = seeing();
    const args = ["doctor", "--repair", "--to", "x", "--part-placeholders"];
    const { exitCode, stderr } = await runCommand(args, { doctor });
    expect([exitCode, stderr, asked]).toEqual([2, expect.stringContaining("--part-placeholders"), []]);
  });
});
