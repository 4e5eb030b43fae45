/** Ordinary clients of the RPC port, grpc-go and grpc-js, in a hurry: deadlines of milliseconds, cancellations, sizes. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";

/** What the callers of one client do, all on one HTTP/2 connection, each in a closed loop. */
export interface Calling {
  readonly address: string;
  /** `/package.Service/Method`. */
  readonly method: string;
  readonly message?: Uint8Array;
  readonly callers: number;
  /** Of each call; none unless named. */
  readonly deadlineMs?: number;
  /** Each deadline is random, up to `deadlineMs`. */
  readonly random?: boolean;
  /** The callers cancel after that time instead of setting a deadline. */
  readonly cancels?: boolean;
  /** Each caller makes at least so many calls. */
  readonly calls?: number;
  /** And at most so many, also when time is left. By grpc-js only. */
  readonly mostCalls?: number;
  /** And goes on for so long. */
  readonly forMs: number;
  /** More callers on the same connection, with a deadline of 20 s and 5 ms between calls. */
  readonly patient?: number;
  /** What these send, if it is another message. */
  readonly patientMessage?: Uint8Array;
}

/** How many calls ended with which code, and the first text of each. */
export interface Outcome {
  readonly codes: Readonly<Record<string, number>>;
  readonly texts: Readonly<Record<string, string>>;
}

/** Of the callers in a hurry and of the patient ones. */
export interface Outcomes {
  readonly hasty: Outcome;
  readonly patient: Outcome;
}

const PATIENT_MS = 20_000;
const run = promisify(execFile);

/** By grpc-js, in this process. */
export async function callByGrpcJs(calling: Calling): Promise<Outcomes> {
  const { address, callers, deadlineMs, calls = 0, mostCalls = Number.POSITIVE_INFINITY, patient = 0 } = calling;
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
    // Clients of one process would share a connection.
    "grpc.use_local_subchannel_pool": 1,
  });
  const message = Buffer.from(calling.message ?? []);
  const patientMessage = Buffer.from(calling.patientMessage ?? message);
  const call = (bytes: Buffer, within: number | undefined, cancels: boolean) =>
    new Promise<ServiceError | undefined>((resolve) => {
      const asIs = (sent: Buffer) => sent;
      const options = within === undefined || cancels ? {} : { deadline: Date.now() + within };
      const sent = client.makeUnaryRequest(calling.method, asIs, asIs, bytes, options, (error) =>
        resolve(error ?? undefined),
      );
      if (within !== undefined && cancels) setTimeout(() => sent.cancel(), within).unref();
    });
  const until = Date.now() + calling.forMs;
  const hasty = createOutcome();
  const unhurried = createOutcome();
  let hurried = callers;
  const loops = Array.from({ length: callers }, async () => {
    for (let n = 0; n < mostCalls && (n < calls || Date.now() < until); n++) {
      const within = deadlineMs === undefined || calling.random !== true ? deadlineMs : Math.random() * deadlineMs;
      hasty.add(await call(message, within, calling.cancels === true));
    }
    hurried--;
  });
  const slowLoops = Array.from({ length: patient }, async () => {
    for (; callers > 0 ? hurried > 0 : Date.now() < until; await pause(5))
      unhurried.add(await call(patientMessage, PATIENT_MS, false));
  });
  await Promise.all([...loops, ...slowLoops]);
  client.close();
  return { hasty, patient: unhurried };
}

/**
 * By grpc-js, with a new client and connection after 250 calls of each caller. A Node client closes its own connection with
 * ENHANCE_YOUR_CALM when frames come for streams that it has reset, as answers to cancelled calls do, three frames each: after
 * 10,000 of them (since nghttp2 1.67, in Node 22.23 and 24.21; https://github.com/nghttp2/nghttp2/issues/2597).
 */
export async function callByGrpcJsInTurns(calling: Calling): Promise<Outcomes> {
  const until = Date.now() + calling.forMs;
  const hasty = createOutcome();
  const patient = createOutcome();
  for (let calls = calling.calls ?? 0, leftMs = calling.forMs; ; calls = 0) {
    const outcomes = await callByGrpcJs({ ...calling, calls, mostCalls: CALLS_OF_A_TURN, forMs: leftMs });
    hasty.join(outcomes.hasty);
    patient.join(outcomes.patient);
    leftMs = until - Date.now();
    if (leftMs <= 0) return { hasty, patient };
  }
}

/** Ten callers get 7,500 frames late at most. */
const CALLS_OF_A_TURN = 250;

function createOutcome() {
  const codes: Record<string, number> = {};
  const texts: Record<string, string> = {};
  return {
    codes,
    texts,
    add(error: ServiceError | undefined) {
      const code = nameOf(error?.code ?? status.OK);
      codes[code] = (codes[code] ?? 0) + 1;
      if (error !== undefined) texts[code] ??= error.details;
    },
    join(other: Outcome) {
      for (const [code, count] of Object.entries(other.codes)) codes[code] = (codes[code] ?? 0) + count;
      for (const [code, text] of Object.entries(other.texts)) texts[code] ??= text;
    },
  };
}

/** As grpc-go writes it: `DEADLINE_EXCEEDED` is `DeadlineExceeded`. */
function nameOf(code: status): string {
  if (code === status.OK) return "OK";
  return status[code].toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Whether grpc-go can be built here. Says so, and fails in CI, when it cannot. */
export function hasGo(): boolean {
  const found = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "go")));
  if (!found && process.env.CI) throw new Error("the callers in Go need go on the PATH");
  if (!found) process.stderr.write("\nSkipped: the callers in Go need go on the PATH\n");
  return found;
}

/** Builds the callers in Go into a directory and gives what runs them. */
export async function buildGoCallers(directory: string): Promise<(calling: Calling) => Promise<Outcomes>> {
  const program = join(directory, "callers");
  await run("go", ["build", "-o", program, "."], { cwd: join(import.meta.dirname, "go") });
  return async (calling) => {
    const { stdout } = await run(program, flagsOf(calling), { maxBuffer: 1 << 20 });
    return outcomesIn(JSON.parse(stdout));
  };
}

function flagsOf({ message = new Uint8Array(), patientMessage = message, ...calling }: Calling): string[] {
  const { address, method, callers, deadlineMs, random, cancels, calls, forMs, patient = 0 } = calling;
  return [
    `-address=${address}`,
    `-method=${method}`,
    ...(message.length > 4096 ? [`-size=${message.length}`] : [`-message=${Buffer.from(message).toString("base64")}`]),
    ...(patientMessage === message ? [] : [`-patient-message=${Buffer.from(patientMessage).toString("base64")}`]),
    `-callers=${callers}`,
    `-deadline=${deadlineMs ?? 0}ms`,
    `-random=${random === true}`,
    `-cancels=${cancels === true}`,
    `-calls=${calls ?? 0}`,
    `-for=${forMs}ms`,
    `-patient=${patient}`,
  ];
}

function outcomesIn(printed: unknown): Outcomes {
  return { hasty: outcomeIn(field(printed, "hasty")), patient: outcomeIn(field(printed, "patient")) };
}

function outcomeIn(printed: unknown): Outcome {
  const codes = Object.entries(field(printed, "codes") ?? {}).map(([code, count]) => [code, Number(count)] as const);
  const texts = Object.entries(field(printed, "texts") ?? {}).map(([code, text]) => [code, String(text)] as const);
  return { codes: Object.fromEntries(codes), texts: Object.fromEntries(texts) };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
