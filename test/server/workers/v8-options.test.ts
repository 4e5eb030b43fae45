import { describe, expect, it } from "vitest";
import { v8Options } from "../../../src/server/workers/v8-options.js";

const YOUNG = "--max-semi-space-size=64";

describe("options of V8 for the processes that serve", () => {
  it("hold the requests of many connections in the young generation", () => {
    expect(v8Options([], 2)).toContain(YOUNG);
  });

  it.each(["--max-semi-space-size=16", "--max_old_space_size=300", "--max-heap-size=400"])(
    "leave the sizes of the heap to the operator who gave %s",
    (option) => {
      expect(v8Options(["--enable-source-maps", option], 2)).not.toContain(YOUNG);
    },
  );

  it("keep V8 from marking in threads of its own only where there is one processor", () => {
    expect(v8Options([], 1)).toContain("--no-concurrent-marking");
    expect(v8Options([], 2)).not.toContain("--no-concurrent-marking");
  });
});
