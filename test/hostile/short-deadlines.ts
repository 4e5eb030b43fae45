/** Clients whose deadlines run out before a call can be answered, beside others that wait. */
import { readFileSync } from "node:fs";
import { DEMO_APP_ID } from "../../src/server/demo/catalogue.js";
import type { ServerProcess } from "../fixtures/server.js";
import type { Calling, Outcomes } from "./grpc-callers.js";

const RECOMMEND = "/aisle.v1.RecommendationService/Recommend";
/** A RecommendRequest for the demo. */
const ASKED = Buffer.from([0x0a, DEMO_APP_ID.length, ...Buffer.from(DEMO_APP_ID)]);

type Client = (calling: Calling) => Promise<Outcomes>;
type Codes = Outcomes["patient"]["codes"];

/** Ten callers with a deadline of 2 ms and two with a long one, on one connection; at least 2,000 calls. */
function storm(address: string, client: Client, forMs: number): Promise<Outcomes> {
  const hurry = { callers: 10, deadlineMs: 2, calls: 200 };
  return client({ address, method: RECOMMEND, message: ASKED, ...hurry, patient: 2, forMs });
}

/** What came of a storm: calls by their codes. */
export interface StormOutcome {
  readonly hasty: Codes;
  /** Of callers with a long deadline: on the connection of the storm, on another one, and on one without the proxy. */
  readonly patient: { readonly same: Codes; readonly other: Codes; readonly direct: Codes };
  readonly healthy: boolean;
  readonly memoryMib: number;
}

/** A storm on an address, or on the server itself, with other callers and a watcher of /healthz beside it. */
export async function stormOn(
  server: ServerProcess,
  client: Client,
  forMs: number,
  address = new URL(server.rpcUrl).host,
): Promise<StormOutcome> {
  const wait = (through: string) =>
    client({ address: through, method: RECOMMEND, message: ASKED, callers: 0, patient: 2, forMs });
  const others = Promise.all([wait(address), wait(new URL(server.rpcUrl).host)]);
  const { hasty, patient } = await storm(address, client, forMs);
  const health = await fetch(`${server.rpcUrl}/healthz`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  );
  const [other, direct] = await others;
  return {
    hasty: hasty.codes,
    patient: { same: patient.codes, other: other.patient.codes, direct: direct.patient.codes },
    healthy: health?.ok === true,
    memoryMib: residentMib(server),
  };
}

/** Memory of a server's process, in MiB; NaN where the system does not tell. */
export function residentMib(server: ServerProcess): number {
  try {
    const status = readFileSync(`/proc/${server.pids()[0]}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
  } catch {
    return Number.NaN;
  }
}
