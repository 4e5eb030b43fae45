// A baseline as a server of the leaderboard's protocol, in a process of its own: `serve-baseline.ts NAME`. It prints its
// address when it listens.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { fitBaseline } from "./baselines.js";
import type { RecommendAnswer, RecommendCall, TrainAnswer, TrainCall } from "./protocol.js";

const row = process.argv[2] ?? "";
let recommend: ((call: RecommendCall) => string[]) | undefined;

const isTraining = (_body: unknown, path: string | undefined): _body is TrainCall => path === "/train";
const isQuestion = (_body: unknown, path: string | undefined): _body is RecommendCall => path === "/recommend";

/** Undefined for a path that there is not. The bodies are the leaderboard's own. */
async function answerTo(path: string | undefined, body: unknown): Promise<TrainAnswer | RecommendAnswer | undefined> {
  if (isTraining(body, path)) {
    recommend = await fitBaseline(row, body.events);
    return { processId: process.pid };
  }
  return isQuestion(body, path) && recommend ? { products: recommend(body) } : undefined;
}

const server = createServer(async (request, response) => {
  try {
    const answer = await answerTo(request.url, await json(request));
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://127.0.0.1:${address.port}`);
});
