/** The least that fastify can do for the same question: an answer in JSON that is always the same. */
import { fastify } from "fastify";

export async function serveEmpty(): Promise<void> {
  const app = fastify({ logger: false });
  const schema = { response: { 200: { type: "object", properties: { message: { type: "string" } } } } };
  app.get("/subscription_status", { schema }, (_request, reply) => reply.send({ message: "Success" }));
  await app.listen({ host: "127.0.0.1", port: 0, backlog: 1024 });
  const address = app.server.address();
  console.log(`listening on ${typeof address === "object" && address !== null ? address.port : ""}`);
}

if (process.argv[1] === import.meta.filename) await serveEmpty();
