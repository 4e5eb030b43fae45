import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/server/settings/config.js";
import { at, type Check, canCheck, checkChanged, listAt, openCheck, textAt } from "./deploy-check.js";
import { configFlags, unknownNames } from "./settings.js";

const folder = join(import.meta.dirname, "../../deploy");
const SINGLE = join(folder, "compose.yaml");
const CLUSTER = join(folder, "compose.mongo.yaml");

/** What the Dockerfile sets. */
const IMAGE_ENVIRONMENT = { AISLE_STORE: "embedded:/var/lib/aisle", AISLE_HOST: "0.0.0.0" };

describe.skipIf(!canCheck())("the Compose files (needs go; an error under CI)", () => {
  let check: Check;
  let projects: Readonly<Record<"single" | "cluster", unknown>>;
  beforeAll(async () => {
    check = await openCheck();
    projects = { single: await check("compose", SINGLE), cluster: await check("compose", CLUSTER) };
  }, 300_000);

  const servicesOf = (project: unknown) => Object.entries(Object(at(project, "services")));
  const service = (name: string) => at(projects.cluster, "services", name);
  /** Those that run our image. */
  const ours = () =>
    [projects.single, projects.cluster].flatMap((project) =>
      servicesOf(project).filter(([, one]) => at(one, "image") === "aisle"),
    );
  const variablesOf = (one: unknown): Record<string, string> =>
    Object.fromEntries(Object.entries(Object(at(one, "environment"))).map(([name, value]) => [name, String(value)]));
  const configOf = (one: unknown) =>
    readConfig(configFlags(listAt(one, "command").map(String)), { ...IMAGE_ENVIRONMENT, ...variablesOf(one) });

  it.each([
    ["a misspelt field", CLUSTER, ["stop_grace_period: 20s", "stop_grace: 20s"], /stop_grace/],
    [
      "a service that waits for one that is not there",
      CLUSTER,
      ["      services:\n        condition", "      servants:\n        condition"],
      /servants/,
    ],
    ["a secret that is not there", CLUSTER, ["secrets: [mongo_key]", "secrets: [mongo_keys]"], /mongo_keys/],
    ["a network that is not there", CLUSTER, ["- storefronts", "- shops"], /shops/],
    ["a volume that is not there", SINGLE, ["- data:", "- date:"], /date/],
    ["text for a list", SINGLE, ["cap_drop:\n      - ALL", "cap_drop: ALL"], /cap_drop/],
    ["no password", CLUSTER, ["MONGO_AISLE_PASSWORD:?", "MONGO_OTHER_PASSWORD:?"], /MONGO_OTHER_PASSWORD/],
  ] as const)("are rejected with %s", async (_, file, change, reason) => {
    await expect(checkChanged(check, "compose", file, change)).rejects.toThrow(reason);
  });

  it("set only existing variables and flags", () => {
    for (const [name, one] of ours()) {
      const unknown = unknownNames(Object.keys(variablesOf(one)), listAt(one, "command").map(String));
      expect({ [name]: unknown }).toEqual({ [name]: [] });
    }
  });

  it("give each process a valid configuration, and the role of its name", () => {
    const roles = ours().map(([name, one]) => [name, configOf(one).role]);
    expect(Object.fromEntries(roles)).toEqual({
      aisle: "all",
      facade: "facade",
      services: "services",
      trainer: "trainer",
    });
  });

  it("publish only ports of a facade, on the loopback address", () => {
    const published = ours().flatMap(([, one]) =>
      listAt(one, "ports").map((port) => ({ port, config: configOf(one) })),
    );
    expect(published).toHaveLength(2);
    for (const { port, config } of published) {
      expect(at(port, "target")).toBe(config.facade.port);
      expect(at(port, "host_ip")).toBe("127.0.0.1");
      expect(config.facade.host).toBe("0.0.0.0");
    }
    expect(servicesOf(projects.cluster).filter(([, one]) => listAt(one, "ports").length > 0)).toHaveLength(1);
  });

  it("publish one port for each facade", () => {
    const [from, to] = textAt(service("facade"), "ports", 0, "published").split("-").map(Number);
    expect((to ?? 0) - (from ?? 0) + 1).toBe(at(service("facade"), "deploy", "replicas"));
  });

  it("give the facades a name of the services that these accept, on a network of both", () => {
    const url = new URL(configOf(service("facade")).rpcUrl ?? "");
    const { rpc, rpcNames } = configOf(service("services"));
    expect(url.hostname).toBe("services");
    expect(rpcNames).toContain(url.hostname);
    expect(url.port).toBe(String(rpc.port));
    const networks = (name: string) => Object.keys(Object(at(service(name), "networks")));
    expect(networks("facade").filter((one) => networks("services").includes(one))).toEqual(["calls"]);
    expect(at(projects.cluster, "networks", "calls", "internal")).toBe(true);
    expect(networks("trainer")).toEqual(networks("mongo1"));
    expect(networks("facade")).not.toContain("database");
  });

  it("require a token of RPC callers, give it to facades, and name the trusted proxies", () => {
    const services = variablesOf(service("services"));
    expect(services.AISLE_INSECURE_RPC).toBeUndefined();
    expect(configOf(service("services")).rpcTokens).toBe("/run/secrets/rpc_tokens");
    expect(textAt(service("services"), "secrets", 0, "source")).toBe("rpc_tokens");
    expect(variablesOf(service("facade")).AISLE_TOKEN).toBe("third");
    for (const [name, one] of ours().filter(([, one]) => listAt(one, "ports").length > 0))
      expect([name, configOf(one).trustedProxies.length]).toEqual([name, 1]);
  });

  it("name the members of the replica set alike in the store address and in its set-up", () => {
    const members = ["mongo1:27017", "mongo2:27017", "mongo3:27017"];
    for (const name of ["services", "trainer"]) {
      const store = variablesOf(service(name)).AISLE_STORE ?? "";
      expect(store).toBe(`mongodb://aisle:second@${members.join(",")}/aisle?replicaSet=aisle&authSource=aisle`);
    }
    const setUp = readFileSync(join(folder, "mongo-setup.js"), "utf8");
    for (const member of members) {
      expect(setUp).toContain(`"${member}"`);
      const command = listAt(service(member.replace(":27017", "")), "command").map(String);
      expect(command[command.indexOf("--replSet") + 1]).toBe("aisle");
      expect(command).toContain("--keyFile");
    }
    expect(setUp).toContain('_id: "aisle", members');
  });

  it("limit memory and restart every process but the set-up", () => {
    for (const [name, one] of [projects.single, projects.cluster].flatMap(servicesOf)) {
      expect(Number(at(one, "deploy", "resources", "limits", "memory"))).toBeGreaterThan(0);
      expect(at(one, "restart")).toBe(name === "mongo-setup" ? "on-failure" : "unless-stopped");
    }
  });

  it("run our image without capabilities and with a read-only root file system", () => {
    for (const [, one] of ours()) {
      expect(one).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
      expect(listAt(one, "tmpfs")).toEqual(["/tmp"]);
      expect(textAt(one, "stop_grace_period")).toBe("20s");
    }
  });
});
