import { describe, expect, it } from "vitest";
import { timestampOf } from "../../src/facade/times.js";

describe("a message timestamp", () => {
  it("keeps its milliseconds before 1970 too", () => {
    expect(timestampOf(-1)).toMatchObject({ seconds: -1n, nanos: 999_000_000 });
    expect(timestampOf(1_500)).toMatchObject({ seconds: 1n, nanos: 500_000_000 });
  });
});
