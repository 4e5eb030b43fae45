// npm run --silent sbom > aisle.cdx.json: a CycloneDX document of the packages that the server and its pages are built and run with,
// as installed here.
//
// `npm sbom --omit dev` leaves out packages that a tool of the development needs as well, direct dependencies among them.
// So npm describes all that is installed, and what the server does not reach is taken out here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure, root, run, script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

/** @returns the CycloneDX document */
export async function readSbom() {
  const format = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
  // With the tools of the development even where NODE_ENV=production would leave them out.
  const args = ["sbom", ...format, "--include", "dev", "--loglevel", "silent"];
  const { code, output } = await run("npm", args, { quiet: true });
  if (code !== 0) throw new Failure(`npm sbom ended with ${code}`);
  const document = JSON.parse(output);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // npm names the application after its folder.
  document.metadata.component.name = manifest.name;
  const rootRef = document.metadata.component["bom-ref"];
  const names = new Map(document.components.map((component) => [component["bom-ref"], nameOf(component)]));
  const edges = new Map(document.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const runtime = { ...manifest.dependencies, ...manifest.optionalDependencies };
  edges.set(
    rootRef,
    edges.get(rootRef).filter((ref) => runtime[names.get(ref)] !== undefined),
  );
  const reached = new Set([rootRef]);
  for (const ref of reached) for (const next of edges.get(ref) ?? []) reached.add(next);
  return {
    ...document,
    components: document.components.filter((component) => reached.has(component["bom-ref"])),
    dependencies: document.dependencies
      .filter(({ ref }) => reached.has(ref))
      .map(({ ref }) => ({ ref, dependsOn: edges.get(ref) })),
  };
}

/** With the scope, which CycloneDX may keep apart. */
function nameOf({ group, name }) {
  return group === undefined ? name : `${group}/${name}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await script(async () => {
    await setUp("tools");
    process.stdout.write(`${JSON.stringify(await readSbom(), null, 2)}\n`);
  });
