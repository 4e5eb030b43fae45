import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcClients, type ServerProcess, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";
import { DOCS } from "./page.js";

const run = promisify(execFile);
const shared = sharedOwner();
let server: ServerProcess;
let secret = "";

beforeAll(async () => {
  server = await startServer({ directory: await temporaryDirectory(shared.owner), owner: shared.owner });
  const { apps } = rpcClients(server.rpcUrl);
  await apps.createApp({ app: { appId: "myshop" } });
  secret = (await apps.createSigningSecret({ appId: "myshop" })).secret;
});
afterAll(() => shared.release());

/** The example of docs/integrate.md in this language, for the server of this test. */
async function exampleIn(language: string): Promise<string> {
  const page = await readFile(join(DOCS, "integrate.md"), "utf8");
  const section = page.split(/^### /m).find((part) => part.startsWith("Signed events\n")) ?? "";
  const code = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1] ?? "";
  expect(code).toContain("http://127.0.0.1:8080/trace");
  return code.replace("http://127.0.0.1:8080", server.facadeUrl);
}

async function isThere(command: string, check = ["--version"]): Promise<boolean> {
  return run(command, check).then(
    () => true,
    () => false,
  );
}

const ALL = [
  { language: "js", command: process.execPath, file: "sign.mjs", orderId: "W-1002" },
  { language: "python", command: "python3", file: "sign.py", orderId: "W-1003" },
  { language: "php", command: "php", file: "sign.php", orderId: "W-1004", check: ["-r", "curl_version();"] },
];
const LANGUAGES = await Promise.all(
  ALL.map(async (one) => ({ ...one, isThere: await isThere(one.command, one.check) })),
);

describe("the signing examples of docs/integrate.md", () => {
  const absent = LANGUAGES.filter(({ isThere }) => !isThere).map(({ command }) => command);
  if (absent.length > 0) process.stderr.write(`\nSkipped: not there, or without curl: ${absent.join(", ")}\n`);

  it.each(LANGUAGES.filter(({ isThere }) => isThere))(
    "send in $language an order that the server accepts as the shop's own",
    async (example) => {
      const { language, command, file, orderId } = example;
      const code = await exampleIn(language);
      const path = join(await temporaryDirectory(), file);
      await writeFile(path, code);
      const { stdout } = await run(command, [path], { env: { ...process.env, AISLE_SIGNING_SECRET: secret } });
      expect(stdout).toMatch(
        language === "php" ? /^\{"event_id":"[0-9a-f-]{36}"\} 200\n$/ : /^200 \{"event_id":"[0-9a-f-]{36}"\}\n$/,
      );
      const { events } = await rpcClients(server.rpcUrl).events.listEvents({ appId: "myshop" });
      expect(events.map(({ order }) => order?.orderId)).toContain(orderId);

      const wrong = `whsec_${Buffer.alloc(32).toString("base64")}`;
      const refused = await run(command, [path], { env: { ...process.env, AISLE_SIGNING_SECRET: wrong } }).then(
        (answer) => answer.stdout,
        (error: unknown) => String(error),
      );
      expect(refused).toContain("401");
    },
    60_000,
  );
});
