import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeSignedCertificate } from "../fixtures/certificate.js";
import {
  freePort,
  rpcClients,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { commandsFor, FIRST_MS, isOnPath, isWithout, page, ROOT, saveFiles, start, type } from "./page.js";
import { unavailableOnce } from "./unavailable-once.js";
import { saveWatchProgram, WATCHED } from "./watch-programs.js";

/** The languages of the page, and what must be on the PATH for each. */
const TOOLS = {
  TypeScript: [],
  Go: ["go"],
  Python: ["python3"],
  Java: ["mvn", "javac"],
  Rust: ["cargo"],
} as const;

/** Languages whose compiler not every machine for tests can have. */
const OPTIONAL: readonly string[] = ["Rust"];

/** Calls that every program repeats: two reads, and events under keys in a stream and alone. */
const REPEATED = [
  "/aisle.v1.EventService/ListEvents",
  "/aisle.v1.RecommendationService/Recommend",
  "/aisle.v1.EventService/RecordEvents",
  "/aisle.v1.EventService/RecordEvent",
];

/** The oldest minor version of Rust 1 that compiles tonic. */
const OLDEST_RUST = 88;

function hasRecentRust(): boolean {
  const [, minor] = /^cargo 1\.(\d+)/.exec(execFileSync("cargo", ["--version"], { encoding: "utf8" })) ?? [];
  return Number(minor) >= OLDEST_RUST;
}

const { owner, release } = sharedOwner();
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ directory: join(await temporaryDirectory(owner), "store"), owner });
  await type(["node scripts/clients.mjs"], ROOT);
}, FIRST_MS);
afterAll(release);

describe.each(Object.entries(TOOLS))("a client in %s", (language, tools) => {
  const missing = tools.filter((tool) => !isOnPath(tool) || (tool === "cargo" && !hasRecentRust()));
  const skipped = isWithout(`the client in ${language}`, missing, OPTIONAL.includes(language));
  const folder = temporaryDirectory(owner);

  it.skipIf(skipped)(
    "is made from an empty folder by docs/clients.md and prints the documented output",
    async () => {
      saveFiles(language, await folder);
      const printed = await type(commandsFor(language), await folder, { AISLE_SERVER: server.rpcUrl });
      expect(linesOf(printed)).toEqual(linesOf(page));
      const appId = /^app: (\S+)$/m.exec(printed)?.[1] ?? "";
      const { apps, events } = rpcClients(server.rpcUrl);
      expect((await apps.getApp({ appId })).app?.displayName).toBe("Tea shop");
      expect((await events.listEvents({ appId })).events).toHaveLength(40);
    },
    FIRST_MS,
  );

  it.skipIf(skipped)(
    "repeats reads and keyed events, unchanged, when the server is unavailable",
    async () => {
      const { url, attempts } = await unavailableOnce(server.rpcUrl, REPEATED, onTestFinished);
      const printed = await type(startsOf(language), await folder, { AISLE_SERVER: url });
      expect(linesOf(printed)).toEqual(linesOf(page));
      for (const path of REPEATED) {
        const [first, second] = attempts.get(path) ?? [];
        expect(second?.equals(first ?? Buffer.of()), path).toBe(true);
      }
      expect(String(attempts.get("/aisle.v1.EventService/RecordEvent")?.[0])).toMatch(/[0-9a-f-]{36}/);
    },
    FIRST_MS,
  );

  it.skipIf(skipped)(
    "sends its token to a server with a certificate, and is refused without one",
    async () => {
      const directory = await temporaryDirectory();
      const { ca, cert, key } = makeSignedCertificate(directory, "server", ["127.0.0.1"]);
      const token = await adminToken(join(directory, "tokens"));
      const flags = ["--rpc-tls-cert", cert, "--rpc-tls-key", key, "--rpc-tokens", join(directory, "tokens")];
      const secure = await startServer({ directory: join(directory, "store"), flags });
      const env = { AISLE_SERVER: secure.rpcUrl, AISLE_CA: ca };
      const lines = startsOf(language);
      expect(linesOf(await type(lines, await folder, { ...env, AISLE_TOKEN: token }))).toEqual(linesOf(page));
      const refused = await type(lines, await folder, env).catch(
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
      expect(refused).toMatch(/unauthenticated/i);
    },
    FIRST_MS,
  );

  it.skipIf(skipped)(
    "watches events across a restart of the server, and ends the call when it leaves the loop",
    async () => {
      saveWatchProgram(language, await folder);
      const [directory, port] = [join(await temporaryDirectory(), "store"), String(await freePort())];
      const flags = ["--rpc-port", port];
      const first = await startServer({ directory, flags });
      const record = (url: string) =>
        rpcClients(url).events.recordEvent({ appId: WATCHED, event: { actionType: "homepage_view" } });
      await rpcClients(first.rpcUrl).apps.createApp({ app: { appId: WATCHED } });
      const env = { AISLE_SERVER: first.rpcUrl };
      const program = start(startsOf(language), await folder, env, onTestFinished);
      for (let printed = ""; !printed.includes("event: "); printed = program.printed()) {
        if (program.hasEnded()) throw new Error(`the program ended: ${printed}`);
        await record(first.rpcUrl);
        await pause(1500);
      }
      await first.end("SIGTERM");
      const second = await startServer({ directory, flags });
      for (let n = 0; n < 2; n++) await record(second.rpcUrl);
      expect(await program.ended, program.printed()).toBe(0);
      expect(program.printed().match(/^event: homepage_view$/gm)?.length).toBe(3);
    },
    FIRST_MS,
  );
});

/** Languages that `npm run clients` makes no package for; not every machine has their tools. */
const lacks = (language: string, ...tools: readonly string[]) =>
  isWithout(
    `the client in ${language}`,
    tools.filter((tool) => !isOnPath(tool)),
    true,
  );

/** Follows a section from an empty folder; the Java package is installed by its own test. */
async function follow(language: string, ...after: readonly string[]): Promise<string> {
  const folder = await temporaryDirectory();
  saveFiles(language, folder);
  const commands = commandsFor(language).filter((line) => !/^mvn .* install$/.test(line));
  return type([...commands, ...after], folder, { AISLE_SERVER: server.rpcUrl });
}

it.skipIf(lacks("Kotlin", "mvn", "javac"))(
  "a program in Kotlin is compiled over the Java package and reads why a call was refused",
  async () => {
    expect(await follow("Kotlin")).toContain("refused: APP_NOT_FOUND");
  },
  FIRST_MS,
);

it.skipIf(lacks("Ruby", "ruby", "protoc", "grpc_ruby_plugin"))(
  "a program in Ruby is generated and calls a server",
  async () => {
    expect(await follow("Ruby")).toMatch(/^refused: 5 /m);
  },
  FIRST_MS,
);

const lacksPhp = existsSync("/usr/share/php/Google/Protobuf") ? [] : ["php-google-protobuf"];
it.skipIf(lacks("PHP", "php", "protoc", ...lacksPhp))(
  "a program in PHP is generated, records events by Connect and reads why a call was refused",
  async () => {
    expect(await follow("PHP")).toMatch(/^recorded: 10\nrefused: not_found\n/m);
  },
  FIRST_MS,
);

it.skipIf(lacks("C#", "protoc"))("the messages in C# are generated", async () => {
  expect(await follow("C#", "ls gen")).toContain("EventService.cs");
});

it.skipIf(lacks("C#", "protoc", "mcs"))(
  "the messages in C# have no syntax errors",
  async () => {
    expect(await follow("C#", "mcs --parse gen/*.cs && echo parsed")).toContain("parsed");
  },
  FIRST_MS,
);

it(
  "the program in TypeScript has no type errors",
  async () => {
    const folder = await temporaryDirectory();
    saveFiles("TypeScript", folder);
    await type(
      commandsFor("TypeScript").filter((line) => line.startsWith("npm")),
      folder,
    );
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    await type([`${tsc} --noEmit --strict --module nodenext --lib es2023,dom,esnext.disposable shop.ts`], folder);
  },
  FIRST_MS,
);

it("watch in TypeScript opens a lost stream again after the last token, and throws other errors", async () => {
  const program = `
    import { Code, ConnectError } from "@connectrpc/connect";
    import { watch } from "./build/clients/typescript/dist/browser.js";
    const opened = [];
    const received = [];
    async function* open({ resumeToken }) {
      opened.push(resumeToken);
      yield { resumeToken: String(opened.length) };
      throw new ConnectError("lost", opened.length < 3 ? Code.Unavailable : Code.NotFound);
    }
    try {
      for await (const { resumeToken } of watch(open, {})) received.push(resumeToken);
    } catch (error) {
      received.push(Code[error.code]);
    }
    console.log(JSON.stringify({ opened, received }));`;
  const printed = await type([`node --input-type=module --eval '${program}'`], ROOT);
  expect(JSON.parse(printed)).toEqual({ opened: ["", "1", "2"], received: ["1", "2", "3", "NotFound"] });
});

/** Makes a token of scope admin and the server's file of it. */
async function adminToken(file: string): Promise<string> {
  const { stdout } = await runAisle(["token", "--name", "shop", "--scope", "admin"]);
  const [, token = ""] = /: (aisle_\S+)/.exec(stdout) ?? [];
  const [, line = ""] = /: +(\S+ \S+ [0-9a-f]{64})$/m.exec(stdout) ?? [];
  writeFileSync(file, `${line}\n`);
  return token;
}

/** The lines that start a program which is there already. */
const startsOf = (language: string) => commandsFor(language).filter((line) => STARTS.test(line));
const STARTS = /^(npx tsx|go run|\. \.venv|python |mvn --quiet compile|cargo run)/;

/** What a program prints but for the id of its app. */
function linesOf(text: string): string[] {
  return [...text.matchAll(/^ *((?:recorded|listed|trained|with tea|refused): .+)$/gm)].map(([, line = ""]) => line);
}
