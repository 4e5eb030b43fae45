// The Python package: messages with their types in aisle.v1, by the generator that grpcio-tools brings.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, root, run } from "../lib.mjs";
import { KEY_FIELDS, WAIT_FIELD } from "./contract.mjs";

const TOOLS = "grpcio-tools==1.85.1";
const VENV = join(root, "node_modules/.cache/clients-python");

export async function buildPython(contract, folder, config) {
  const python = await pythonWithTools();
  const names = contract.files.map(({ proto }) => proto.name);
  const out = ["python_out", "pyi_out", "grpc_python_out"].map((flag) => `--${flag}=${folder}`);
  await tool(python, "-m", "grpc_tools.protoc", `--proto_path=${join(root, "proto")}`, ...out, ...names);
  const aisle = join(folder, "aisle");
  for (const { proto } of contract.files.filter(({ services }) => services.length === 0))
    rmSync(join(folder, `${proto.name.replace(/\.proto$/, "")}_pb2_grpc.py`));
  writeFileSync(join(aisle, "service-config.json"), config);
  writeFileSync(join(aisle, "v1/__init__.py"), messages(contract));
  writeFileSync(join(aisle, "_services.py"), services(contract));
  writeFileSync(join(aisle, "_contract.py"), constants(contract));
  writeFileSync(join(aisle, "_reasons.py"), reasons(contract));
}

/** Fetches the generator once. */
async function pythonWithTools() {
  const python = join(VENV, "bin/python");
  if (existsSync(join(VENV, TOOLS))) return python;
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(VENV, { recursive: true });
  await tool("python3", "-m", "venv", VENV);
  await tool(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", TOOLS);
  writeFileSync(join(VENV, TOOLS), "");
  return python;
}

async function tool(command, ...args) {
  const { code, output } = await run(command, args, { quiet: true });
  if (code !== 0) throw new Failure(`the Python code was not generated\n${output.trimEnd()}`);
}

const moduleOf = (file) => file.replace(/\.proto$/, "_pb2").replaceAll("/", ".");
const snake = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
const generated = (text) => `# Generated from the contract of Aisle.\n${text}`;

function messages({ files }) {
  const lines = files.flatMap((file) =>
    [...file.messages, ...file.enums].map(
      ({ name }) => `from ${moduleOf(file.proto.name)} import ${name} as ${name}\n`,
    ),
  );
  const values = files.flatMap((file) =>
    file.enums.flatMap((each) =>
      each.values.map(({ name }) => `from ${moduleOf(file.proto.name)} import ${name} as ${name}\n`),
    ),
  );
  return generated([...lines, ...values].join(""));
}

function services({ services }) {
  const stubs = services.map(({ file }) => `from ${moduleOf(file).replace(/\.(\w+)$/, " import $1_grpc")}\n`);
  const properties = services.map(({ plural, name }) => `        self.${snake(plural)} = ${name}(channel)\n`);
  return generated(`from collections.abc import Iterator

import grpc

from aisle import v1
${stubs.join("")}
${services.map(serviceClass).join("\n")}

class Services:
    """A client of each service."""

    def __init__(self, channel: grpc.Channel) -> None:
${properties.join("")}`);
}

function serviceClass({ name, file, methods }) {
  const stub = `${moduleOf(file).split(".").at(-1)}_grpc.${name}Stub`;
  return `
class ${name}:
    def __init__(self, channel: grpc.Channel) -> None:
        self._stub = ${stub}(channel)
${methods.map(method).join("")}`;
}

function method({ name, kind, input, output, comment }) {
  const sends = ["client_streaming", "bidi_streaming"].includes(kind);
  const receives = ["server_streaming", "bidi_streaming"].includes(kind);
  const given = sends ? `Iterator[v1.${input.name}]` : `v1.${input.name}`;
  const gives = receives ? `Iterator[v1.${output.name}]` : `v1.${output.name}`;
  const argument = sends ? "requests" : "request";
  const lines = comment.split("\n").map((line) => `        ${line}`.trimEnd());
  return `
    def ${snake(name)}(self, ${argument}: ${given}, *, timeout: float | None = None) -> ${gives}:
        """${lines.join("\n").trim()}"""
        return self._stub.${name}(${argument}, timeout=timeout)
`;
}

function constants({ retry }) {
  return generated(`KEY_FIELDS = ${JSON.stringify(KEY_FIELDS)}
WAIT_FIELD = ${JSON.stringify(WAIT_FIELD)}
MAX_ATTEMPTS = ${retry.maxAttempts}
INITIAL_BACKOFF = ${retry.initialBackoffMs / 1000}
MAX_BACKOFF = ${retry.maxBackoffMs / 1000}
BACKOFF_MULTIPLIER = ${retry.backoffMultiplier}
`);
}

function reasons({ reasons }) {
  const lines = (reasons ?? []).map((reason) => `    ${reason} = "${reason}"\n`);
  return generated(`class Reason:
    """Every reason of an ErrorInfo."""

${lines.join("") || "    pass\n"}`);
}
