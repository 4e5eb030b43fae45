import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/facade/openapi/document.js";
import { METHODS } from "../../src/facade/operations.js";
import { openFacade } from "../facade/fixture.js";
import { readContract } from "./contract.js";

const document = openApiDocument("/");

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("is served with the address of the server, as JSON that a page may read", async () => {
    const { facade } = openFacade({}, { publicUrl: "https://aisle.shop.example/x" });
    const answer = await facade.inject({ url: "/openapi.json", headers: { origin: "https://tool.example" } });
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "access-control-allow-origin": "https://tool.example",
    });
    expect(answer.json()).toEqual({ ...document, servers: [{ url: "https://aisle.shop.example/x" }] });
  });

  // Made again by `npx vitest run test/openapi -u`.
  it("equals docs/openapi.json", async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("../../docs/openapi.json");
  });

  it("describes each public path with its methods", () => {
    const described = Object.entries(document.paths ?? {}).map(([path, methods]) => [
      path,
      Object.keys(methods)
        .map((method) => (method === "get" ? "GET, HEAD, OPTIONS" : `${method.toUpperCase()}, OPTIONS`))
        .join(),
    ]);
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(METHODS));
  });

  it("has only examples that its own schemas accept", () => {
    const { examples, exampleFaults } = readContract();
    expect(examples).toBeGreaterThan(50);
    expect(exampleFaults).toEqual([]);
  });
});
