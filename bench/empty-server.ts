/** The least that fastify can do for the same questions: an answer in JSON that is always the same. */
import { spawn } from "node:child_process";
import { fastify } from "fastify";
import { pinnedTo, SERVER_CPU } from "./open-loop/pinning.js";

export interface EmptyServer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

/** Starts it in a process of its own, on the servers' processor. */
export async function startEmptyServer(): Promise<EmptyServer> {
  const [command = process.execPath, ...args] = pinnedTo(SERVER_CPU, [
    process.execPath,
    "--import",
    "tsx",
    import.meta.filename,
  ]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the empty server ended with ${code}`)));
    child.stdout.once("data", (said: Buffer) => resolve(/\d+/.exec(said.toString())?.[0] ?? ""));
  });
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill("SIGKILL") };
}

async function serveEmpty(): Promise<void> {
  const app = fastify({ logger: false });
  const schema = { response: { 200: { type: "object", properties: { message: { type: "string" } } } } };
  app.get("/subscription_status", { schema }, (_request, reply) => reply.send({ message: "Success" }));
  const list = { type: "array", items: {} };
  const answer = { type: "object", properties: { version: { type: "string" }, recommended: list, alternative: list } };
  const body = {
    type: "object",
    required: ["appId", "productInteractions"],
    properties: { appId: { type: "string" }, productInteractions: { type: "array" } },
  };
  app.post("/recommend", { schema: { body, response: { 200: answer } } }, (_request, reply) =>
    reply.send({ version: "2026112100", recommended: [], alternative: [] }),
  );
  await app.listen({ host: "127.0.0.1", port: 0, backlog: 1024 });
  const address = app.server.address();
  console.log(`listening on ${typeof address === "object" && address !== null ? address.port : ""}`);
}

if (process.argv[1] === import.meta.filename) await serveEmpty();
