import { expect, it } from "vitest";
import { METHOD_SCOPES, SCOPES, scopesFor } from "../../../src/services/access/method-scopes.js";
import { methodName, RPC_SERVICES } from "../../../src/services/telemetry/rpc-methods.js";
import { documentedScopes } from "../../fixtures/token-table.js";

const METHODS = RPC_SERVICES.filter(({ typeName }) => typeName !== "grpc.health.v1.Health").flatMap(
  ({ methods }) => methods,
);

it("the scope table lists every method of every service but health, and no other method", () => {
  const listed = Object.entries(METHOD_SCOPES).flatMap(([service, methods]) =>
    Object.keys(methods).map((name) => `${service}/${name}`),
  );
  // The older name of the same service has no descriptor of its own.
  const alpha = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  expect(listed.sort()).toEqual([...METHODS.map(methodName), alpha].sort());
});

it("docs/security.md lists for every method the scopes that the server accepts", () => {
  const { scopes, methods } = documentedScopes();
  expect(scopes).toEqual([...SCOPES]);
  const shortName = (name: string) => name.slice(name.lastIndexOf(".") + 1);
  const enforced = METHODS.map((method) => [shortName(methodName(method)), scopesFor(method)] as const);
  const ordered = new Map([...methods].map(([name, allowed]) => [name, [...allowed]]));
  expect(ordered).toEqual(
    new Map(enforced.map(([name, allowed]) => [name, SCOPES.filter((s) => allowed?.includes(s))])),
  );
});

it("a method outside the scope table needs the scope admin", () => {
  const parent = { ...RPC_SERVICES[0]!, typeName: "aisle.v1.NewService" };
  expect(scopesFor({ name: "GetNew", parent })).toEqual(["admin"]);
});

it("the scope read allows no method that returns personal data", () => {
  const both = METHODS.filter((method) => {
    const scopes = scopesFor(method) ?? [];
    return scopes.includes("read") && scopes.includes("personal");
  });
  expect(both.map(methodName)).toEqual(["grpc.reflection.v1.ServerReflection/ServerReflectionInfo"]);
});
