import { Readable, Writable } from "node:stream";
import { type ProgramDeps, runProgram } from "../../src/cli/program.js";

/** What a command said and how it ended. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line at a fixed time, which does not sleep. */
export function commandDeps(): ProgramDeps {
  return {
    serve: async () => {},
    migrate: async function* () {},
    doctor: async function* () {},
    backup: async () => {},
    feedSource: () => async () => undefined,
    stdin: Readable.from([]),
    stdout: collector().output,
    stderr: collector().output,
    env: {},
    now: () => Date.UTC(2026, 0, 1),
    sleep: async () => {},
    version: "1.2.3",
  };
}

/** Runs a command in this process. */
export async function runCommand(args: readonly string[], deps: Partial<ProgramDeps> = {}): Promise<Ended> {
  const stdout = collector();
  const stderr = collector();
  const own = { stdout: stdout.output, stderr: stderr.output };
  const exitCode = await runProgram({ ...commandDeps(), ...own, ...deps }, args);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** A stream that keeps what is written. */
export function collector() {
  let text = "";
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { output, text: () => text };
}
