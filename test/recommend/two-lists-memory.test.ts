import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const CHILD = join(import.meta.dirname, "children/lists-in-young-generation.ts");

describe("splitting an answer into two lists", () => {
  it("leaves no garbage that survives until the next major collection", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--import", "tsx", CHILD]);
    // 190 answers of 100 kB would be 19 MB.
    expect(Number(stdout)).toBeLessThan(2_000_000);
  });
});
