import { expect, it } from "vitest";
import { rpcClients, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";

it("aisle signing-secret makes, lists, rotates and removes secrets, and never lists their values", async () => {
  const server = await startServer({ directory: await temporaryDirectory() });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  const aisle = (...args: string[]) =>
    runAisle(["signing-secret", ...args, "--app", "shop"], { env: { AISLE_SERVER: server.rpcUrl } });
  const made = /^Signing secret (\S+) of shop:\nwhsec_\S{44} \(shown only here\)\n$/;
  const make = async (command: string) => {
    const { code, stdout } = await aisle(command);
    expect([code, stdout]).toEqual([0, expect.stringMatching(made)]);
    return made.exec(stdout)?.[1] ?? "";
  };
  const ids = async () => {
    const { stdout } = await aisle("list");
    expect(stdout).not.toContain("whsec_");
    return stdout
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(" ")[0]);
  };
  expect((await aisle("list")).stdout).toBe("The app has no signing secret: signed events are refused\n");
  const [one, two] = [await make("create"), await make("rotate")];
  expect(await ids()).toEqual([one, two]);
  expect(await aisle("create")).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: An app has at most 2 signing secrets: remove one first\n",
  });
  const three = await make("rotate");
  expect(await ids()).toEqual([two, three]);
  expect((await aisle("remove", "--id", two, "--yes")).stdout).toBe(`Signing secret ${two} of shop is removed\n`);
  const again = await aisle("remove", "--id", two, "--yes");
  expect([again.code, again.stderr]).toEqual([
    1,
    'error: There is no such signing secret ("aisle signing-secret list" shows them)\n',
  ]);
  expect(await ids()).toEqual([three]);
}, 180_000);
