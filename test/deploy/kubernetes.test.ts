import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { METHODS } from "../../src/facade/operations.js";
import { readConfig } from "../../src/server/settings/config.js";
import { at, type Check, canCheck, checkChanged, listAt, openCheck, textAt } from "./deploy-check.js";
import { configFlags, unknownNames } from "./settings.js";

const folder = join(import.meta.dirname, "../../deploy/kubernetes");
const files = readdirSync(folder).filter((name) => name !== "kustomization.yaml");

describe.skipIf(!canCheck())("the Kubernetes manifests (needs go; an error under CI)", () => {
  let check: Check;
  let objects: readonly unknown[];
  beforeAll(async () => {
    check = await openCheck();
    const read = await Promise.all(files.map((name) => check("kubernetes", join(folder, name))));
    objects = read.flatMap((found) => listAt(found));
  }, 300_000);

  const ofKind = (kind: string) => objects.filter((object) => at(object, "kind") === kind);
  const nameOf = (object: unknown) => textAt(object, "metadata", "name");
  const podOf = (deployment: unknown) => at(deployment, "spec", "template", "spec");
  const labelsOf = (deployment: unknown) => at(deployment, "spec", "template", "metadata", "labels");
  const container = (deployment: unknown) => at(podOf(deployment), "containers", 0);
  const environment = (deployment: unknown) =>
    new Map(
      listAt(container(deployment), "env").map((one) => [
        textAt(one, "name"),
        at(one, "valueFrom", "secretKeyRef") === undefined
          ? textAt(one, "value").replaceAll("$(NAMESPACE)", "shop")
          : "mongodb://mongo.example/aisle",
      ]),
    );
  const configOf = (deployment: unknown) =>
    readConfig(
      configFlags(listAt(container(deployment), "args").map(String)),
      Object.fromEntries(environment(deployment)),
    );
  const portsOf = (deployment: unknown) =>
    new Map(
      listAt(container(deployment), "ports").map((port) => [textAt(port, "name"), at(port, "containerPort")] as const),
    );

  it("hold the three Deployments that kustomization.yaml lists", () => {
    expect(ofKind("Deployment").map(nameOf).sort()).toEqual(["aisle-facade", "aisle-services", "aisle-trainer"]);
    const listed = [
      ...readFileSync(join(folder, "kustomization.yaml"), "utf8").matchAll(/^ {2}- (\S+\.yaml)$/gm),
    ].flatMap(([, name]) => name ?? []);
    expect(listed.sort()).toEqual(files.filter((name) => !name.includes("example")).sort());
  });

  it.each([
    ["a misspelt field", "services.yaml", ["failureThreshold: 60", "failureTreshold: 60"], /failureTreshold/],
    [
      "a field in the wrong place",
      "services.yaml",
      ["      automountServiceAccountToken: false", "      replicas: 2"],
      /replicas/,
    ],
    ["text for a number", "facade.yaml", ["containerPort: 8080", "containerPort: eighty"], /containerPort/],
    ["no amount of memory", "trainer.yaml", ["memory: 4Gi", "memory: 4 Gi"], /quantit/],
    ["an unknown kind", "network-policy.yaml", ["kind: NetworkPolicy", "kind: NetworkPolicies"], /NetworkPolicies/],
    ["a version that has no such kind", "facade.yaml", ["autoscaling/v2", "autoscaling/v2beta1"], /v2beta1/],
  ] as const)("are rejected with %s", async (_, name, change, reason) => {
    await expect(checkChanged(check, "kubernetes", join(folder, name), change)).rejects.toThrow(reason);
  });

  it("set only existing variables and flags", () => {
    for (const deployment of ofKind("Deployment")) {
      const names = [...environment(deployment).keys()].filter((name) => name !== "NAMESPACE");
      expect(unknownNames(names, listAt(container(deployment), "args").map(String))).toEqual([]);
    }
  });

  it("give each process a valid configuration, and the role of its name", () => {
    const roles = ofKind("Deployment").map((one) => [nameOf(one), configOf(one).role]);
    expect(Object.fromEntries(roles)).toEqual({
      "aisle-facade": "facade",
      "aisle-services": "services",
      "aisle-trainer": "trainer",
    });
  });

  it("open the ports on which the processes listen, on all addresses of the pod", () => {
    for (const deployment of ofKind("Deployment")) {
      const { role, facade, rpc } = configOf(deployment);
      const listener = role === "facade" ? facade : rpc;
      expect([...portsOf(deployment).values()]).toEqual([listener.port]);
      expect(listener.host).toBe("0.0.0.0");
    }
  });

  it("probe open ports by paths that answer there", () => {
    const paths: Readonly<Record<string, readonly string[]>> = { rest: ["/healthz", "/readyz"], rpc: ["/healthz"] };
    for (const deployment of ofKind("Deployment")) {
      const ports = portsOf(deployment);
      for (const name of ["startupProbe", "readinessProbe", "livenessProbe"]) {
        const probe = at(container(deployment), name);
        if (probe === undefined) continue;
        const http = at(probe, "httpGet");
        if (http !== undefined) expect(paths[textAt(http, "port")]).toContain(textAt(http, "path"));
        expect([...ports.keys(), ...ports.values()]).toContain(at(http, "port") ?? at(probe, "grpc", "port"));
      }
      expect(at(container(deployment), "livenessProbe")).toBeDefined();
    }
  });

  it("have Services, budgets, autoscalers and policies only for existing pods", () => {
    const labels = ofKind("Deployment").map(labelsOf);
    for (const service of ofKind("Service")) {
      expect(labels).toContainEqual(at(service, "spec", "selector"));
      const pods = ofKind("Deployment").find((one) => nameOf(one) === nameOf(service));
      expect(listAt(service, "spec", "ports").map((port) => portsOf(pods).has(textAt(port, "targetPort")))).toEqual([
        true,
      ]);
    }
    for (const budget of ofKind("PodDisruptionBudget")) {
      expect(labels).toContainEqual(at(budget, "spec", "selector", "matchLabels"));
    }
    for (const policy of ofKind("NetworkPolicy")) {
      expect(labels).toContainEqual(at(policy, "spec", "podSelector", "matchLabels"));
    }
    const names = ofKind("Deployment").map(nameOf);
    for (const scaler of ofKind("HorizontalPodAutoscaler")) {
      expect(names).toContain(textAt(scaler, "spec", "scaleTargetRef", "name"));
      const target = ofKind("Deployment").find(
        (one) => nameOf(one) === textAt(scaler, "spec", "scaleTargetRef", "name"),
      );
      expect(at(target, "spec", "replicas")).toBeUndefined(); // an apply would undo what the autoscaler did
    }
  });

  it("give the facade a name of the services that these accept", () => {
    const configs = ofKind("Deployment").map(configOf);
    const url = new URL(configs.find(({ role }) => role === "facade")?.rpcUrl ?? "");
    const services = configs.find(({ role }) => role === "services");
    expect(services?.rpcNames).toContain(url.hostname);
    expect(services?.rpcNames).toContain("aisle-services.shop.svc.cluster.local");
    const service = ofKind("Service").find((one) => nameOf(one) === url.hostname);
    expect(listAt(service, "spec", "ports").map((port) => String(at(port, "port")))).toEqual([url.port]);
  });

  it("close the RPC port to pods that are not named", () => {
    const rpc = ofKind("Deployment").filter((one) => portsOf(one).has("rpc"));
    expect(rpc).toHaveLength(2);
    for (const deployment of rpc) {
      const policy = ofKind("NetworkPolicy").find((one) => nameOf(one) === nameOf(deployment));
      const rules = listAt(policy, "spec", "ingress");
      expect(rules.map((rule) => listAt(rule, "from").length > 0)).toEqual([true]);
    }
  });

  it("require a token of RPC callers, give it to the facade from a Secret, and trust only the named proxies", () => {
    for (const deployment of ofKind("Deployment")) {
      const { role, facade, rpc, rpcTokens, trustedProxies } = configOf(deployment);
      expect([...environment(deployment).keys()]).not.toContain("AISLE_INSECURE_RPC");
      if (role === "facade") {
        const token = listAt(container(deployment), "env").find((one) => at(one, "name") === "AISLE_TOKEN");
        expect(at(token, "valueFrom", "secretKeyRef", "name")).toBe("aisle-facade-token");
        expect([facade.host, trustedProxies.length > 0]).toEqual(["0.0.0.0", true]);
        continue;
      }
      const mounts = listAt(container(deployment), "volumeMounts");
      const mount = mounts.find((one) => rpcTokens?.startsWith(`${textAt(one, "mountPath")}/`));
      expect([rpc.host, at(mount, "readOnly"), at(mount, "subPath")]).toEqual(["0.0.0.0", true, undefined]);
      const volume = listAt(podOf(deployment), "volumes").find((one) => at(one, "name") === at(mount, "name"));
      expect(at(volume, "secret", "secretName")).toBe("aisle-rpc-tokens");
    }
  });

  it("take the store address from a Secret, and contain none", () => {
    expect(ofKind("Secret")).toEqual([]);
    for (const deployment of ofKind("Deployment")) {
      const store = listAt(container(deployment), "env").find((one) => at(one, "name") === "AISLE_STORE");
      expect(at(store, "valueFrom", "secretKeyRef", "name")).toBe(
        nameOf(deployment) === "aisle-facade" ? undefined : "aisle-store",
      );
      expect(at(store, "value")).toBeUndefined();
    }
  });

  it("run without root, without capabilities and with a read-only root file system", () => {
    for (const deployment of ofKind("Deployment")) {
      expect(at(podOf(deployment), "securityContext", "runAsNonRoot")).toBe(true);
      expect(at(podOf(deployment), "automountServiceAccountToken")).toBe(false);
      expect(at(container(deployment), "securityContext")).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      });
    }
  });

  it("turn off the variables that Kubernetes makes of Services, such as AISLE_FACADE_PORT", () => {
    expect(ofKind("Service").map(nameOf)).toContain("aisle-facade");
    for (const deployment of ofKind("Deployment")) expect(at(podOf(deployment), "enableServiceLinks")).toBe(false);
  });

  it("give a process more time to stop than a drain takes", () => {
    for (const deployment of ofKind("Deployment")) {
      expect(at(podOf(deployment), "terminationGracePeriodSeconds")).toBeGreaterThanOrEqual(5 + 15);
    }
  });

  it("route every public path of the REST port to the facade", () => {
    const [ingress] = ofKind("Ingress");
    const paths = listAt(ingress, "spec", "rules", 0, "http", "paths");
    // Every public path but those of the kubelet, and links in mails, which have a token behind them.
    const routed = [...METHODS.keys()].filter((path) => path !== "/healthz" && path !== "/readyz");
    expect(paths.map((path) => `${textAt(path, "pathType")} ${textAt(path, "path")}`).sort()).toEqual(
      [...routed.map((path) => `Exact ${path}`), "Prefix /s/"].sort(),
    );
    const facade = configOf(ofKind("Deployment").find((one) => nameOf(one) === "aisle-facade"));
    expect(`https://${textAt(ingress, "spec", "rules", 0, "host")}`).toBe(facade.publicUrl);
    const service = ofKind("Service").find((one) => nameOf(one) === "aisle-facade");
    for (const path of paths) {
      expect(textAt(path, "backend", "service", "name")).toBe(nameOf(service));
      expect(listAt(service, "spec", "ports").map((port) => at(port, "name"))).toContain(
        at(path, "backend", "service", "port", "name"),
      );
    }
  });
});
