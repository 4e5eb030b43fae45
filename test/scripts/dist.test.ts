import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const script = pathToFileURL(join(import.meta.dirname, "../../scripts/dist.mjs")).href;

it("making dist/ leaves no process running beside the one that goes on to serve", () => {
  const folder = mkdtempSync(join(tmpdir(), "aisle-dist-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = `
    import { spawnSync } from "node:child_process";
    import { setTimeout as wait } from "node:timers/promises";
    import { makeDist } from ${JSON.stringify(script)};
    await makeDist(${JSON.stringify(folder)});
    const running = () => spawnSync("pgrep", ["-P", String(process.pid)], { encoding: "utf8" }).stdout;
    // One that was told to end takes a moment.
    for (let tries = 0; running() !== "" && tries < 100; tries++) await wait(50);
    console.log(running() === "" ? "none" : "some");
    process.exit();`;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  expect(said.trim()).toBe("none");
});
