import { describe, expect, it } from "vitest";
import { v8Options } from "../../../src/server/workers/v8-options.js";

const YOUNG = "--max-semi-space-size=64";

describe("the V8 options of serving processes", () => {
  it("give the young generation room for the requests of many connections", () => {
    expect(v8Options([], 2)).toContain(YOUNG);
  });

  it.each(["--max-semi-space-size=16", "--max_old_space_size=300", "--max-heap-size=400"])(
    "leave the heap sizes alone when the operator set %s",
    (option) => {
      expect(v8Options(["--enable-source-maps", option], 2)).not.toContain(YOUNG);
    },
  );

  it("turn off concurrent marking only on a single processor", () => {
    expect(v8Options([], 1)).toContain("--no-concurrent-marking");
    expect(v8Options([], 2)).not.toContain("--no-concurrent-marking");
  });
});
