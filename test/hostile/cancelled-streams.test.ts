import { setTimeout as pause } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import {
  ReplaceCatalogRequestSchema,
  ReplaceCatalogResponseSchema,
} from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

it("a full feed hides nothing when its caller cancels the call or loses the connection", async () => {
  const directory = await temporaryDirectory();
  let server = await startServer({ directory });
  const { apps, catalog } = rpcClients(server.rpcUrl);
  await apps.createApp({ app: { appId: "shop" } });
  const ids = Array.from({ length: 10 }, (_, n) => `p${n}`);
  const feed = async function* () {
    yield { appId: "shop", products: ids.map((productId) => ({ productId, title: productId })), last: true };
  };
  await catalog.replaceCatalog(feed());
  for (const breakOff of ["cancel", "close"] as const) {
    for (let round = 0; round < 10; round++) {
      const client = new Client(new URL(server.rpcUrl).host, credentials.createInsecure());
      const ended = new Promise<void>((resolve) => {
        const call = client.makeClientStreamRequest(
          "/aisle.v1.CatalogService/ReplaceCatalog",
          (message: Uint8Array) => Buffer.from(message),
          (bytes) => fromBinary(ReplaceCatalogResponseSchema, bytes),
          () => resolve(),
        );
        const first = create(ReplaceCatalogRequestSchema, { appId: "shop", force: true, listedIds: ["p0"] });
        call.write(toBinary(ReplaceCatalogRequestSchema, first), () => {
          setTimeout(() => (breakOff === "cancel" ? call.cancel() : client.getChannel().close()), round * 5);
        });
        call.on("error", () => resolve());
      });
      await Promise.race([ended, pause(2_000)]);
      client.close();
    }
    await server.end("SIGTERM"); // it ends what it is at work on
    server = await startServer({ directory });
    const { products } = await rpcClients(server.rpcUrl).catalog.listProducts({ appId: "shop" });
    expect(products.filter(({ hidden }) => hidden)).toEqual([]);
  }
});
