/** The servers of the leaderboard, which are all told and asked alike: Aisle by its own interface, others by protocol.ts. */
import { join } from "node:path";
import { processFigures } from "../process-figures.js";
import { aisle, startProgram, startServer } from "../server.js";
import { post, type RecommendCall, type TrainCall } from "./protocol.js";

export interface Server {
  train(call: TrainCall): Promise<void>;
  /** Product ids, best first. */
  recommend(call: RecommendCall): Promise<readonly string[]>;
  /** The most memory its process held; undefined where nobody can tell. */
  peakMiB(): Promise<number | undefined>;
  stop(): Promise<void>;
}

const APP = "shop";

/** Aisle over a new store in `directory`; `log` is given what took how long. */
export async function startAisle(directory: string): Promise<Server> {
  const server = await startServer(directory, "--log-level", "warn", "--audit-log", join(directory, "audit.log"));
  const frame = (id: string, ...options: string[]) =>
    aisle(server, "frame", "set", "--app", APP, "--id", id, "--recommended", "60", "--alternative", "0", ...options);
  await aisle(server, "app", "create", APP);
  await frame("new");
  await frame("repeats", "--include-viewed", "--include-bought");
  return {
    async train({ events, products }) {
      if (products !== "") await aisle(server, "import", "products", products, "--app", APP, "--map", "id=item");
      await aisle(server, "import", "events", events, "--app", APP);
      await aisle(server, "train", "--app", APP);
    },
    async recommend({ history, current, repeats }) {
      const answer = await post(`${server.facadeUrl}/recommend`, {
        appId: APP,
        productInteractions: history.map(({ type, product, time }) => ({
          productInteractionType: type,
          productId: product,
          productSku: product,
          utcInteractionDate: time,
        })),
        ...(current !== "" && { currentProductIds: current }),
        marketingMachineFrameConfigurationId: repeats ? "repeats" : "new",
      });
      return listOf(answer, "recommended").map((product) => textOf(product, "productId"));
    },
    peakMiB: () => peakOf(server.pid),
    stop: () => server.stop(),
  };
}

/** A server that somebody else started. */
export function speakTo(url: string): Server {
  let pid: number | undefined;
  return {
    async train(call) {
      const answer = await post(`${url}/train`, call);
      const told = fieldOf(answer, "processId");
      pid = typeof told === "number" ? told : undefined;
    },
    async recommend(call) {
      return listOf(await post(`${url}/recommend`, call), "products").map(String);
    },
    peakMiB: async () => (pid === undefined ? undefined : peakOf(pid)),
    stop: async () => undefined,
  };
}

/** A baseline in a process of its own. */
export async function startBaseline(row: string): Promise<Server> {
  const { said, stop } = await startProgram(undefined, [join(import.meta.dirname, "serve-baseline.ts"), row]);
  return { ...speakTo(said), stop };
}

async function peakOf(pid: number): Promise<number | undefined> {
  const { peakBytes } = await processFigures(pid);
  return peakBytes === 0 ? undefined : peakBytes / 2 ** 20;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  if (!Array.isArray(list)) throw new Error(`the answer has no list "${name}"`);
  return list;
}

function textOf(value: unknown, name: string): string {
  return String(fieldOf(value, name) ?? "");
}
