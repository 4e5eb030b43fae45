/** The least that fastify can do for the same questions: an answer in JSON that is always the same. */
import { fastify } from "fastify";
import { SERVER_CPU } from "./open-loop/pinning.js";
import { startProgram } from "./server.js";

/** Starts it in a process of its own, on the servers' processor. */
export async function startEmptyServer() {
  const { said, pid, stop } = await startProgram(SERVER_CPU, [import.meta.filename]);
  return { url: `http://127.0.0.1:${said}`, pid, stop };
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
  console.log(typeof address === "object" && address !== null ? address.port : "");
}

if (process.argv[1] === import.meta.filename) await serveEmpty();
