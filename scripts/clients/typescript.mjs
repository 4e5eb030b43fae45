// The TypeScript package: code by protoc-gen-es, compiled to JavaScript with its types.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bin, Failure, root, run } from "../lib.mjs";
import { packageFile } from "./files.mjs";

const rpcDetails = "scripts/protocols";

export async function buildTypeScript(contract, folder, config) {
  const source = join(folder, "src");
  writeFileSync(join(folder, "service-config.json"), config);
  await generate(join(source, "gen"));
  writeFileSync(join(source, "messages.ts"), messages(contract));
  writeFileSync(join(source, "services.ts"), services(contract));
  writeFileSync(join(source, "service-config.ts"), serviceConfigModule(contract));
  writeFileSync(join(source, "reasons.ts"), reasons(contract));
  // The packages that this one imports are those of the checkout while it is compiled.
  const modules = join(folder, "node_modules");
  if (!existsSync(modules)) symlinkSync(join(root, "node_modules"), modules, "dir");
  try {
    const { code, output } = await run(bin("tsc"), ["-p", folder], { quiet: true });
    if (code !== 0) throw new Failure(`the TypeScript package does not compile\n${output.trimEnd()}`);
  } finally {
    rmSync(modules);
  }
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { code, output } = await run(npm, ["pack", "--silent"], { cwd: folder, quiet: true });
  if (code !== 0) throw new Failure(`npm pack failed\n${output.trimEnd()}`);
  cpSync(join(folder, output.trim()), join(folder, "aisle-client.tgz"));
}

async function generate(out) {
  mkdirSync(out, { recursive: true });
  const template = {
    version: "v2",
    inputs: [
      { directory: join(root, "proto") },
      {
        directory: join(root, rpcDetails),
        paths: [join(root, rpcDetails, "google/rpc/error_details.proto")],
      },
    ],
    plugins: [{ local: "protoc-gen-es", out, opt: ["target=ts", "import_extension=js"] }],
  };
  const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}` };
  const { code, output } = await run(bin("buf"), ["generate", "--template", JSON.stringify(template)], {
    env,
    quiet: true,
  });
  if (code !== 0) throw new Failure(`buf generate failed\n${output.trimEnd()}`);
}

const moduleOf = (file) => `./gen/${file.replace(/\.proto$/, "")}_pb.js`;

function messages({ files }) {
  return packageFile(files.map(({ proto }) => `export * from "${moduleOf(proto.name)}";\n`).join(""));
}

function services({ services }) {
  const property = ({ plural }) => plural[0].toLowerCase() + plural.slice(1);
  return packageFile(`import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { ${services.map(({ name }) => name).join(", ")} } from "./messages.js";

/** A client of each service. */
export interface Clients {
${services.map((service) => `  readonly ${property(service)}: Client<typeof ${service.name}>;\n`).join("")}}

/** Clients over a transport of your own, for example one of @connectrpc/connect-web. */
export function clientsOver(transport: Transport): Clients {
  return {
${services.map((service) => `    ${property(service)}: createClient(${service.name}, transport),\n`).join("")}  };
}
`);
}

function serviceConfigModule({ services, retry }) {
  const methods = services.flatMap((service) => service.methods);
  const repeatable = methods.filter(({ repeatable }) => repeatable).map(({ path }) => path);
  const keys = methods.filter(({ key }) => key).map(({ path, key }) => [path, key.name]);
  const waiting = methods.filter(({ waits }) => waits).map(({ path }) => path);
  return packageFile(`/** How service-config.json retries. */
export const RETRY = ${JSON.stringify(retry)};

/** Methods whose repetition does nothing twice. */
export const REPEATABLE: ReadonlySet<string> = new Set(${JSON.stringify(repeatable, null, 2)});

/** Methods that answer when other work has ended, or after the time that their request names. */
export const WAITING: ReadonlySet<string> = new Set(${JSON.stringify(waiting, null, 2)});

/** The field of a method's request that makes a repetition safe. */
export const KEYS: ReadonlyMap<string, string> = new Map(${JSON.stringify(keys, null, 2)});
`);
}

function reasons({ reasons }) {
  const names = reasons?.map((name) => `  | "${name}"\n`).join("") ?? "  string";
  return packageFile(`/** Every reason of an ErrorInfo. */\nexport type Reason =\n${names};\n`);
}
