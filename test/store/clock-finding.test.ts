import { expect, it } from "vitest";
import { clockFinding, idTime } from "../../src/store/clock-finding.js";

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3600_000;
const at = { eventAt: NOW - HOUR, idAt: NOW - HOUR, commitAt: NOW - HOUR };

it.each([
  ["ok", {}, /behind every event/],
  ["problem", { eventAt: NOW + 25 * HOUR }, /90000 s before the newest event/],
  ["problem", { commitAt: NOW + 25 * HOUR }, /90000 s before the newest commit/],
  ["note", { idAt: NOW + 24 * HOUR }, /newest id is 90000 s ahead of its commit/],
] as const)("the doctor reports a clock %s as %j", (state, newest, text) => {
  const finding = clockFinding(NOW, { ...at, ...newest });
  expect(finding.state).toBe(state);
  expect(finding.text).toMatch(text);
});

it("the doctor reads the time in a UUIDv7, and none in other text", () => {
  expect(idTime("019aa624-1c00-7000-8000-000000000001")).toBe(0x019aa6241c00);
  for (const other of ["", "x", "019aa624-1c00-4000-8000-000000000001"]) expect(idTime(other)).toBe(0);
});
