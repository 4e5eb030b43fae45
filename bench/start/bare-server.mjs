// The least a server on Node starts with: fastify and one answer. Plain JavaScript, so that nothing is compiled first.
import { fastify } from "fastify";

const app = fastify({ logger: false });
app.get("/readyz", (_request, reply) => reply.send({ status: "ready" }));
await app.listen({ host: "127.0.0.1", port: Number(process.argv[2]) });
console.log("ready");
