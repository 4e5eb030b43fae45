/** What grpc-go, grpcio and grpc-js see of a call that is refused, and what it leaves behind. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:http2";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../fixtures/server.js";
import { openListener } from "../services/wire/rpc-fixture.js";
import { buildGoCallers, callByGrpcJs, hasGo } from "./grpc-callers.js";

const GET_APP = "/aisle.v1.AppService/GetApp";
const TOO_LARGE = new Uint8Array(5 * 1024 * 1024);
const UNKNOWN = [
  ["method", "/aisle.v1.AppService/Nothing"],
  ["service", "/aisle.v1.NothingService/Nothing"],
] as const;
const run = promisify(execFile);
const go = hasGo();
const python = hasPython();
const INSTALL_MS = 5 * 60_000;

const byGo = async () => buildGoCallers(await temporaryDirectory());
const byGrpcJs = async () => callByGrpcJs;

describe.each([
  ["grpc-js", byGrpcJs, true],
  ["grpc-go", byGo, go],
] as const)("a refused call of %s", (_, client, isThere) => {
  it.skipIf(!isThere).each(UNKNOWN)(
    "gets UNIMPLEMENTED for an unknown %s",
    async (_, method) => {
      const { address } = await openListener();
      const { hasty } = await (await client())({ address, method, callers: 1, calls: 2, forMs: 0 });
      expect(hasty).toMatchObject({ codes: { Unimplemented: 2 }, texts: { Unimplemented: "There is no such call" } });
    },
    INSTALL_MS,
  );

  it.skipIf(!isThere)(
    "frees its stream slots when messages are too large",
    async () => {
      const { address } = await openListener({ limits: { maxConcurrentStreams: 40 } });
      const call = await client();
      const { hasty, patient } = await call({
        address,
        method: GET_APP,
        message: TOO_LARGE,
        callers: 4,
        calls: 25,
        forMs: 0,
        patient: 4,
        patientMessage: new Uint8Array(),
      });
      expect(hasty.codes).toEqual({ ResourceExhausted: 100 });
      expect(Object.keys(patient.codes)).toEqual(["NotFound"]);
    },
    INSTALL_MS,
  );
});

it.skipIf(!python).each(UNKNOWN)(
  "a refused call of grpcio gets UNIMPLEMENTED for an unknown %s",
  async (_, method) => {
    const { address } = await openListener();
    const environment = join(import.meta.dirname, "../../node_modules/.cache/grpcio");
    const interpreter = join(environment, "bin/python3");
    const requirements = join(import.meta.dirname, "requirements.txt");
    if (!existsSync(interpreter)) await run("python3", ["-m", "venv", environment]);
    await run(interpreter, ["-m", "pip", "install", "--quiet", "-r", requirements]);
    const { stdout } = await run(interpreter, [join(import.meta.dirname, "unknown_call.py"), address, method]);
    expect(stdout.trim()).toBe("UNIMPLEMENTED There is no such call");
  },
  INSTALL_MS,
);

it("a stream refused in mid-message is released when its peer resets it with NO_ERROR", async () => {
  const { address } = await openListener({ limits: { maxConcurrentStreams: 5, lingerMs: 60_000 } });
  const session = connect(`http://${address}`);
  onTestFinished(() => session.destroy());
  session.on("error", () => undefined);
  const refuse = () =>
    new Promise<unknown>((resolve, reject) => {
      const headers = { ":path": GET_APP, ":method": "POST", "content-type": "application/grpc", te: "trailers" };
      const stream = session.request(headers);
      const message = Buffer.alloc(600_000);
      message.writeUInt32BE(TOO_LARGE.length, 1);
      stream.write(message);
      stream.resume();
      stream.once("error", reject);
      stream.once("trailers", (trailers) => {
        resolve(trailers["grpc-status"]);
        stream.close(0);
      });
      stream.once("response", (answer) => {
        if (answer["grpc-status"] === undefined) return;
        resolve(answer["grpc-status"]);
        stream.close(0);
      });
    });
  for (let n = 0; n < 12; n++) expect(await refuse()).toBe("8");
});

function hasPython(): boolean {
  const found = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "python3")));
  if (!found && process.env.CI) throw new Error("grpcio needs python3 on the PATH");
  return found;
}
