import { describe, expect, it } from "vitest";
import type { Migrate, MigratedApp, MigrateRequest } from "../../src/cli/migrate-command.js";
import { runCommand } from "./run-command.js";

const STORES = ["--from", "embedded:a", "--to", "mongodb://ann:secret@db/aisle"];

function app(appId: string, change: Partial<MigratedApp> = {}): MigratedApp {
  const same = { rows: 1200, checksum: "0123456789abcdef" };
  return {
    appId,
    outcome: "copied",
    wasDone: false,
    written: 1200,
    tables: [{ table: "events", source: same, target: same }],
    ...change,
  };
}

/** Answers with these apps, and keeps what it was asked. */
function migrating(...apps: MigratedApp[]) {
  const asked: MigrateRequest[] = [];
  const migrate: Migrate = async function* (request, hooks) {
    asked.push(request);
    hooks.log("target: The store was upgraded from format 1 to format 2");
    yield* apps;
  };
  return { migrate, asked };
}

describe("aisle migrate", () => {
  it("passes on what to copy: all apps unless some are named", async () => {
    const { migrate, asked } = migrating();
    await runCommand(["migrate", ...STORES], { migrate });
    await runCommand(["migrate", ...STORES, "--app", "a", "--app", "b", "--app", "a", "--again"], { migrate });
    const stores = { from: "embedded:a", to: "mongodb://ann:secret@db/aisle" };
    expect(asked).toEqual([
      { ...stores, appIds: [], again: false, check: false },
      { ...stores, appIds: ["a", "b"], again: true, check: false },
    ]);
  });

  it("takes the stores from the environment, where other users cannot see a password", async () => {
    const { migrate, asked } = migrating();
    const env = { AISLE_MIGRATE_FROM: "embedded:x", AISLE_MIGRATE_TO: " embedded:y " };
    await runCommand(["migrate", "--check"], { migrate, env });
    expect(asked).toEqual([{ from: "embedded:x", to: "embedded:y", appIds: [], again: false, check: true }]);
  });

  it("shows the row counts of each table, and no address", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["migrate", ...STORES], {
      migrate: migrating(app("shop")).migrate,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("App shop is copied, 1,200 rows written; source and target are equal\n");
    expect(stdout).toMatch(/^ {2}events +1,200 +1,200 +0123456789ab$/m);
    expect(stderr).toBe("target: The store was upgraded from format 1 to format 2\n");
    expect(stdout + stderr).not.toContain("secret");
  });

  it("exits with 1 and names the apps and tables that differ", async () => {
    const target = { rows: 1, checksum: "ffffffffffffffff" };
    const tables = [{ table: "events", source: { rows: 2, checksum: "0123456789abcdef" }, target }];
    const { migrate } = migrating(app("fine"), app("shop", { outcome: "differs", tables }));
    const { exitCode, stdout, stderr } = await runCommand(["migrate", ...STORES], { migrate });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("App shop is not copied: the source is being written");
    expect(stdout).toMatch(/^ {2}events +2 +1 +0123456789ab and ffffffffffff: differs$/m);
    expect(stderr).toContain("error: Source and target differ: shop\n");
  });

  it("reports whether an earlier copy is equal", async () => {
    const { migrate } = migrating(
      app("same", { outcome: "equal", wasDone: true, written: 0 }),
      app("other", { outcome: "differs", wasDone: true, written: 0 }),
    );
    const { stdout } = await runCommand(["migrate", ...STORES], { migrate });
    expect(stdout).toContain("App same: source and target are equal, copied by an earlier run\n");
    expect(stdout).toContain("App other was copied by an earlier run, and one of the two was written since; --again");
  });

  it("prints everything as JSON", async () => {
    const { migrate } = migrating(app("shop"));
    const { stdout } = await runCommand(["migrate", ...STORES, "--json"], { migrate });
    expect(JSON.parse(stdout)).toEqual({ apps: [app("shop")], equal: true });
  });

  it("reports that the source has no apps", async () => {
    const { exitCode, stdout } = await runCommand(["migrate", ...STORES], { migrate: migrating().migrate });
    expect([exitCode, stdout]).toEqual([0, "The source has no apps\n"]);
  });

  it.each([
    [["--from", "embedded:a"], "--to (AISLE_MIGRATE_TO): is required"],
    [["--to", "embedded:a"], "--from (AISLE_MIGRATE_FROM): is required"],
    [[...STORES, "--check", "--again"], "--check and --again exclude each other"],
    [[...STORES, "--app", "a b"], "1 to 64 letters"],
  ])("exits with 2 for the usage error %j", async (args, text) => {
    const { exitCode, stderr } = await runCommand(["migrate", ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain("secret");
  });

  it("exits with 130 when interrupted", async () => {
    const migrate: Migrate = async function* (_, { signal }) {
      yield app("shop");
      signal?.throwIfAborted();
    };
    const { exitCode } = await runCommand(["migrate", ...STORES], { migrate, signal: AbortSignal.abort() });
    expect(exitCode).toBe(130);
  });
});
