import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  ListProductsRequestSchema,
  type ListProductsResponse,
  ListProductsResponseSchema,
} from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const PATH = "/aisle.v1.CatalogService/ListProducts";

describe("a client with gRPC's default limit of 4 MiB for an answer", () => {
  it("lists 1,000 products of 6 kB, also when it asks for all of them in one page", async () => {
    const server = await startServer({ directory: await temporaryDirectory(), flags: ["--role", "services"] });
    const { apps, catalog } = rpcClients(server.rpcUrl);
    await apps.createApp({ app: { appId: "shop" } });
    const ids = Array.from({ length: 1000 }, (_, n) => `p${String(n).padStart(4, "0")}`);
    async function* products() {
      for (let at = 0; at < ids.length; at += 500)
        yield {
          appId: "shop",
          products: ids.slice(at, at + 500).map((productId) => ({ productId, description: "x".repeat(6000) })),
        };
    }
    expect((await catalog.upsertProducts(products())).refused).toEqual([]);

    const client = new Client(new URL(server.rpcUrl).host, credentials.createInsecure());
    onTestFinished(() => client.close());
    const listProducts = (pageToken: string) =>
      new Promise<ListProductsResponse>((resolve, reject) => {
        client.makeUnaryRequest(
          PATH,
          (token: string) =>
            Buffer.from(
              toBinary(
                ListProductsRequestSchema,
                create(ListProductsRequestSchema, { appId: "shop", pageSize: 1000, pageToken: token }),
              ),
            ),
          (bytes: Buffer) => fromBinary(ListProductsResponseSchema, bytes),
          pageToken,
          (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
        );
      });
    const found: string[] = [];
    let pageToken = "";
    do {
      const page = await listProducts(pageToken);
      found.push(...page.products.map(({ productId }) => productId));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(found).toEqual(ids);
  });
});
