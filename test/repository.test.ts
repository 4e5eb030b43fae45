import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf } from "./fixtures/source-imports.js";

const root = join(import.meta.dirname, "..");
const text = (path: string) => readFileSync(join(root, path), "utf8");

interface Package {
  readonly license?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
}

const manifest: Package = JSON.parse(text("package.json"));
const locked: Readonly<Record<string, Package>> = JSON.parse(text("package-lock.json")).packages;
const direct = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.devDependencies,
}).sort();

/** Names of the packages that the modules in a folder import. */
const importedBy = (folder: string) =>
  new Set(
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => importsOf(text(join(folder, path)), path.endsWith("x") ? "tsx" : "ts"))
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier),
  );
const imported = importedBy("src");

/** The files that git knows; none outside a clone. */
const tracked = existsSync(join(root, ".git"))
  ? execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean)
  : [];

describe("README", () => {
  it("shows the two commands", () => {
    expect(text("README.md")).toMatch(/^\s*npm start\b/m);
    expect(text("README.md")).toMatch(/^\s*npm test\b/m);
  });

  it("has at most 900 words and 250 lines", () => {
    const readme = text("README.md");
    expect(readme.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
    expect(readme.split("\n").length).toBeLessThanOrEqual(250);
  });
});

describe("the version", () => {
  it.each([
    ["package-lock.json", /^\s+"version": "([^"]+)"/m],
    ["docs/openapi.json", /^\s+"version": "([^"]+)"/m],
    ["CHANGELOG.md", /^## (\d\S+)/m],
    ["docs/clients.md", /<artifactId>aisle-client<\/artifactId>\s*<version>([^<]+)</],
    ["deploy/kubernetes/kustomization.yaml", /newTag: "([^"]+)"/],
  ])("in %s is that of package.json", (path, place) => {
    expect(place.exec(text(path))?.[1]).toBe(manifest.version);
  });
});

describe("docs/dependencies.md", () => {
  it("names every dependency once in its tables, with a reason, and no other package", () => {
    const rows = [...text("docs/dependencies.md").matchAll(/^\| `([^`]+)` \|([^|\n]*)\|/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(direct);
    expect(rows.filter(([, , reason]) => (reason ?? "").trim().length < 15).map(([, name]) => name)).toEqual([]);
  });
});

describe("package.json", () => {
  it("names the licence whose full text is in LICENSE", () => {
    expect(manifest.license).toBe("Apache-2.0");
    expect(text("LICENSE")).toContain("Apache License\n                           Version 2.0, January 2004");
    expect(text("LICENSE")).toContain("END OF TERMS AND CONDITIONS");
  });

  it("requires a Node version and has every everyday command", () => {
    expect(manifest.engines?.node).toBe(">=20.19");
    expect(Object.keys(manifest.scripts ?? {})).toEqual(
      expect.arrayContaining(["generate", "build", "start", "test", "check", "bench", "release-contract"]),
    );
  });

  it("decides for each package with an install script whether it may run", () => {
    const asking = Object.entries(locked)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ""));
    expect(asking.filter((name) => manifest.allowScripts?.[name] === undefined)).toEqual([]);
    // Compiled at its installation by its binding.gyp, which npm does not always write down as an install script.
    expect(manifest.allowScripts?.["hnswlib-node"]).toBe(true);
  });
});

describe("the dependencies", () => {
  it("in package.json are each imported by src or by the pages in web, except for esbuild, which builds both", () => {
    const needed = new Set([...imported, ...importedBy("web"), "esbuild"]);
    expect(Object.keys(manifest.dependencies ?? {}).filter((name) => !needed.has(name))).toEqual([]);
  });

  it("that src imports are each in package.json", () => {
    const installed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    expect([...imported].filter((name) => installed[name] === undefined)).toEqual([]);
  });

  it("that the pages in web import are each in package.json, since the build bundles them", () => {
    expect([...importedBy("web")].filter((name) => manifest.dependencies?.[name] === undefined)).toEqual([]);
  });
});

describe("package-lock.json", () => {
  it("holds the same ranges as package.json", () => {
    const { dependencies, devDependencies } = locked[""] ?? {};
    expect({ dependencies, devDependencies }).toEqual({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    });
  });

  it("names no registry, so that it installs from whichever one is configured", () => {
    const hosts = Object.values(locked).flatMap(({ resolved }) => resolved ?? []);
    expect(hosts).toEqual([]);
  });

  it("has an entry for each platform's package, which npm ci requires (scripts/complete-lock.mjs)", () => {
    const absent = Object.entries(locked).flatMap(([owner, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => locked[`node_modules/${name}`] === undefined && locked[`${owner}/node_modules/${name}`] === undefined,
      ),
    );
    expect(absent).toEqual([]);
  });

  it("has no package that needs a newer Node than we do", () => {
    const newer = Object.entries(locked).filter(
      ([, { engines }]) => engines?.node !== undefined && !allows(engines.node, [20, 19]),
    );
    expect(newer.map(([path, { engines }]) => `${path} needs ${engines?.node}`)).toEqual([]);
  });
});

describe.skipIf(tracked.length === 0)("files in git (skipped outside a clone)", () => {
  it("contain no absolute path of a machine", () => {
    const machinePath = /(?:^|[\s"'`(=:])\/(?:work|root|home|Users)\/[\w.-]/m;
    const binary = /\.(?:png|jpe?g|webp|ico|woff2?|gz|binpb|node)$/;
    const naming = tracked.filter(
      (path) => !binary.test(path) && existsSync(join(root, path)) && machinePath.test(text(path)),
    );
    expect(naming).toEqual([]);
  });

  it("include no packages, builds or data", () => {
    expect(
      tracked.filter((path) => /^(?:node_modules|dist|build|test\/clients\/\w+|\.stamps|aisle-data)\//.test(path)),
    ).toEqual([]);
  });

  it("include an executable .ci/run that calls npm test", () => {
    expect(statSync(join(root, ".ci/run")).mode & 0o111).toBe(0o111);
    expect(text(".ci/run")).toMatch(/ npm test$/m);
  });
});

describe("the parser of engines ranges", () => {
  it.each([
    [">=20", true],
    ["^20.19.0 || ^22.13.0 || >=23.5.0", true],
    ["10.* || >= 12.*", true],
    ["*", true],
    [">=20.20", false],
    ["^22.13.0 || >=24", false],
    ["<20", false],
  ])("reads %s as %s for 20.19", (range, admitted) => {
    expect(allows(range, [20, 19])).toBe(admitted);
  });
});

/** Whether a range of `engines` admits a version; knows the comparators that packages use, `^`, `~`, `>=`, `>`, `<` and bare. */
function allows(range: string, version: readonly [number, number]): boolean {
  const [major, minor] = version;
  return range.split("||").some((alternative) =>
    [...alternative.matchAll(/(\^|~|>=|>|<=|<)?\s*v?(\d+|\*)(?:\.(\d+))?[.\dx*]*/g)].every(
      ([, sign, first, second]) => {
        if (first === "*") return true;
        const order = major - Number(first) || minor - Number(second ?? 0);
        if (sign === ">=" || sign === ">") return order >= 0;
        if (sign === "<" || sign === "<=") return order < 0;
        return major === Number(first) && order >= 0;
      },
    ),
  );
}
