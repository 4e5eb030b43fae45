import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { makeSignedCertificate } from "../fixtures/certificate.js";
import { hasNginx, startNginx, startProxy } from "../fixtures/nginx.js";
import {
  freePort,
  rpcClients,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { isOnPath, isWithout, page, ROOT } from "./page.js";

const appId = "shop";
/** Where `.ci/run` puts Envoy, which Debian does not have. */
const CACHED_ENVOY = join(ROOT, "node_modules/.cache/envoy/bin/envoy");
const envoy = existsSync(CACHED_ENVOY) ? CACHED_ENVOY : "envoy";

const { owner, release } = sharedOwner();
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ directory: join(await temporaryDirectory(owner), "store"), owner });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId } });
});
afterAll(release);

/** A configuration on the page, with its places replaced. */
function configuration(tag: string, places: Readonly<Record<string, string>>): string {
  const section = page.slice(page.indexOf("\n## Proxies\n"));
  let text = new RegExp(`^\`\`\`${tag}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section)?.[1] ?? "";
  for (const [place, ours] of Object.entries(places)) {
    expect(text).toContain(place);
    text = text.replace(place, ours);
  }
  return text;
}

/** Sends a stream of events and reads them by a stream. */
async function recordAndWatch(grpc: Transport, web: Transport): Promise<void> {
  const batch = { appId, events: [{ actionType: "homepage_view" }, { actionType: "homepage_view" }] };
  const recorded = await createClient(EventService, grpc).recordEvents(
    (async function* () {
      for (let n = 0; n < 50; n++) yield batch;
    })(),
  );
  expect(recorded.accepted).toBe(100);
  for (const transport of [grpc, web]) {
    const events = createClient(EventService, transport);
    expect((await events.batchRecordEvents(batch)).recorded).toHaveLength(2);
    const stop = new AbortController();
    let seen = 0;
    const request = { appId, start: { case: "pastEventCount" as const, value: 3 } };
    const watched = events.watchEvents(request, { signal: stop.signal });
    for await (const message of watched) {
      seen += message.events.length;
      if (seen >= 3) break;
    }
    stop.abort();
    expect(seen).toBe(3);
    await expect(events.getEvent({ appId, eventId: "none" })).rejects.toMatchObject({ code: Code.NotFound });
  }
}

const rpcPort = () => new URL(server.rpcUrl).port;

it.skipIf(!hasNginx())("nginx passes gRPC and gRPC-Web on as docs/clients.md configures it", async () => {
  const { ca, cert, key } = makeSignedCertificate(await temporaryDirectory(), "proxy", ["127.0.0.1"]);
  const port = await freePort();
  const lines = configuration("nginx", {
    "127.0.0.1:8081": `127.0.0.1:${rpcPort()}`,
    "listen 8443": `listen 127.0.0.1:${port}`,
    "/etc/ssl/aisle.pem": cert,
    "/etc/ssl/aisle.key": key,
  });
  await startNginx(lines, port, onTestFinished);
  const baseUrl = `https://127.0.0.1:${port}`;
  const nodeOptions = { ca: await readFile(ca) };
  await recordAndWatch(
    createGrpcTransport({ baseUrl, nodeOptions }),
    createGrpcWebTransport({ baseUrl, httpVersion: "1.1", nodeOptions }),
  );
});

const lacksEnvoy = envoy === CACHED_ENVOY ? [] : ["envoy"].filter((tool) => !isOnPath(tool));
it.skipIf(isWithout("calls by Envoy", lacksEnvoy, true))(
  "Envoy passes gRPC and gRPC-Web on as docs/clients.md configures it",
  async () => {
    const port = await freePort();
    const file = join(await temporaryDirectory(), "envoy.yaml");
    const text = configuration("yaml", {
      "address: 0.0.0.0, port_value: 8443": `address: 127.0.0.1, port_value: ${port}`,
      "address: aisle, port_value: 8081": `address: 127.0.0.1, port_value: ${rpcPort()}`,
    });
    await writeFile(file, text);
    const args = ["-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"];
    await startProxy(envoy, args, port, onTestFinished);
    const baseUrl = `http://127.0.0.1:${port}`;
    await recordAndWatch(createGrpcTransport({ baseUrl }), createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }));
  },
);
