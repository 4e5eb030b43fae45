// npm run release-contract [-- --break]: makes proto/released.binpb anew from proto/. `npm run check` compares with it from then on,
// and test/proto/released-image.test.ts fails when it lacks an element.
// A contract that breaks the released one is refused, unless --break says that this is meant.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bin, Failure, root, run, script } from "./lib.mjs";
import { breaking, released } from "./released.mjs";
import { setUp } from "./setup.mjs";

await script(async () => {
  await setUp("tools");
  const [buf, ...args] = breaking;
  if (existsSync(join(root, released)) && !process.argv.includes("--break") && (await run(buf, args)).code !== 0) {
    throw new Failure("the contract breaks the released one: change it back, or say --break");
  }
  // Without comments and positions, which are no part of what is compared.
  const { code } = await run(bin("buf"), ["build", "--exclude-source-info", "-o", released]);
  if (code !== 0) throw new Failure("buf build failed");
  console.log(`wrote ${released}`);
});
