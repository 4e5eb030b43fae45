import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { RPC_METHODS, RPC_SERVICES } from "../../../src/services/telemetry/rpc-methods.js";

const GEN = join(import.meta.dirname, "../../../src/gen");

function isService(exported: unknown): exported is DescService {
  return typeof exported === "object" && exported !== null && "kind" in exported && exported.kind === "service";
}

it("the list of RPC methods names every service, so that calls are counted by method", async () => {
  const files = readdirSync(GEN, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("_pb.ts"));
  const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(join(GEN, file))));
  const services = modules.flatMap((module) => Object.values(module)).filter(isService);
  expect(RPC_SERVICES.map(({ typeName }) => typeName).sort()).toEqual(services.map(({ typeName }) => typeName).sort());
  expect(RPC_METHODS).toContain("aisle.v1.EventService/RecordEvent");
});
