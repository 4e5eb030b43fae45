import { expect, it } from "vitest";
import { createAuditLines } from "../../src/server/audit-log.js";

const ENTRY = { peer: "10.0.0.7", token: "ops", method: "aisle.v1.AppService/CreateApp", app: "shop", code: "ok" };
const STRANGER = { ...ENTRY, token: "", app: "", code: "unauthenticated" };

function auditLines(startAt: number) {
  let now = startAt;
  const lines: string[] = [];
  const write = createAuditLines(
    (line) => lines.push(line),
    () => now,
  );
  return { lines, write, pass: (ms: number) => (now += ms) };
}

it("an audit line is JSON with time and entry", () => {
  const { lines, write } = auditLines(Date.UTC(2026, 10, 22));
  write(ENTRY);
  expect(lines).toEqual([`${JSON.stringify({ time: "2026-11-22T00:00:00.000Z", audit: ENTRY })}\n`]);
});

it("a flood of callers without a token writes ten audit lines a second, and the next line counts the rest", () => {
  const { lines, write, pass } = auditLines(5_000);
  for (let n = 0; n < 1000; n++) write(STRANGER);
  expect(lines).toHaveLength(10);
  write(ENTRY);
  expect(JSON.parse(lines[10] ?? "")).toMatchObject({ audit: { ...ENTRY, left_out: 990 } });
  pass(1_000);
  write(STRANGER);
  expect(JSON.parse(lines[11] ?? "")).toMatchObject({ audit: STRANGER });
});

it("authenticated callers have an audit line each, however many they are", () => {
  const { lines, write } = auditLines(0);
  for (let n = 0; n < 1000; n++) write({ ...ENTRY, code: "permission_denied" });
  expect(lines).toHaveLength(1000);
});
