// Writes docs/api.md and docs/api-types.md from proto/ and docs/openapi.json. `npm run generate` calls it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { restPart } from "./api-rest.mjs";
import { bin, Failure, root, run } from "./lib.mjs";

const HEAD = `# API

For developers. After this page you know every REST call and every RPC with its fields. \`npm run generate\` makes it
from [openapi.json](openapi.json) and [the contract](../proto/README.md), so it says what the server does.

[Integrate](integrate.md) shows the REST calls at work, [clients](clients.md) the RPCs in five languages, [errors](errors.md) each reason.
Messages that several RPCs share are in [types](api-types.md).

`;
const TYPES_HEAD = `# API types

For developers. After this page you know every message and enum of the RPCs that is no request or response of its own;
those are in [API](api.md). \`npm run generate\` makes it from [the contract](../proto/README.md).

`;
const SCALARS = { TYPE_INT32: "int32", TYPE_INT64: "int64", TYPE_UINT32: "uint32", TYPE_UINT64: "uint64" };

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
const anchor = (name) => name.toLowerCase();

/** The comment before the element at a path of a file; the path counts fields and indices, as descriptor.proto says. */
function commentsOf(file) {
  const comments = new Map(
    (file.sourceCodeInfo?.location ?? []).map(({ path = [], leadingComments = "" }) => [
      path.join("."),
      leadingComments,
    ]),
  );
  return (...path) => paragraph(comments.get(path.join(".")) ?? "");
}

const paragraph = (text) =>
  text
    .split(/\n\s*\n/)
    .map((part) => part.replace(/\s+/g, " ").trim())
    .filter(Boolean)
    .join("\n\n");

/** All services, messages and enums of the files, nested ones too, with their comments. */
function elementsOf(files) {
  const services = [];
  const types = new Map();
  const addEnum = (found, name, comment, ...path) => {
    const values = (found.value ?? []).map((value, index) => ({
      ...value,
      comment: comment(...path, 2, index),
    }));
    types.set(name, { kind: "enum", name, comment: comment(...path), values });
  };
  const addMessage = (found, name, comment, ...path) => {
    if (found.options?.mapEntry) return;
    const fields = (found.field ?? []).map((field, index) => ({ ...field, comment: comment(...path, 2, index) }));
    const oneofs = (found.oneofDecl ?? []).map(({ name: group }) => group);
    types.set(name, { kind: "message", name, comment: comment(...path), fields, oneofs });
    for (const [index, one] of (found.nestedType ?? []).entries())
      addMessage(one, `${name}.${one.name}`, comment, ...path, 3, index);
    for (const [index, one] of (found.enumType ?? []).entries())
      addEnum(one, `${name}.${one.name}`, comment, ...path, 4, index);
  };
  for (const file of files) {
    const comment = commentsOf(file);
    for (const [index, one] of (file.messageType ?? []).entries()) addMessage(one, one.name, comment, 4, index);
    for (const [index, one] of (file.enumType ?? []).entries()) addEnum(one, one.name, comment, 5, index);
    for (const [index, one] of (file.service ?? []).entries()) {
      const methods = one.method.map((method, at) => ({ ...method, comment: comment(6, index, 2, at) }));
      services.push({ name: one.name, comment: comment(6, index), methods });
    }
  }
  return { services, types };
}

const localName = (typeName) => typeName.replace(/^\.aisle\.v1\./, "");

/** buf lint has no map of another kind; a nested type with this ending is a map. */
const isMap = ({ typeName = "", label }) => label === "LABEL_REPEATED" && /\.[A-Z]\w*\.\w+Entry$/.test(typeName);

function typeOf(field, placeOf) {
  if (field.typeName === undefined) return SCALARS[field.type] ?? field.type.replace("TYPE_", "").toLowerCase();
  if (isMap(field)) return "map of string to string";
  if (!field.typeName.startsWith(".aisle.")) return `\`${field.typeName.replace(/^\.google\.protobuf\./, "")}\``;
  const name = localName(field.typeName);
  return `[${name}](${placeOf(name)}#${anchor(name.replaceAll(".", ""))})`;
}

function messageText({ fields, oneofs }, placeOf) {
  if (fields.length === 0) return "No fields.\n";
  const rows = fields.map((field) => {
    const repeated = field.label === "LABEL_REPEATED" && !isMap(field) ? "repeated " : "";
    const optional = field.proto3Optional ? "optional " : "";
    const group =
      field.oneofIndex !== undefined && !field.proto3Optional ? `One of \`${oneofs[field.oneofIndex]}\`. ` : "";
    return `| \`${field.name}\` | ${repeated}${optional}${typeOf(field, placeOf)} | ${group}${cell(field.comment)} |`;
  });
  return `| field | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function enumText({ values }) {
  const rows = values.map(({ name, comment }) => `| \`${name}\` | ${cell(comment)} |`);
  return `| value | meaning |\n|---|---|\n${rows.join("\n")}\n`;
}

const section = (type, level, placeOf) => {
  const table = type.kind === "enum" ? enumText(type) : messageText(type, placeOf);
  return `${level} ${type.name}\n\n${type.comment}\n\n${table}`;
};

async function readContract() {
  const { code, output } = await run(bin("buf"), ["build", "proto", "-o", "-#format=json"], { quiet: true });
  if (code !== 0) throw new Failure(`buf build failed\n${output}`);
  return JSON.parse(output).file.filter(({ name }) => name.startsWith("aisle/"));
}

/** The texts of both pages, by their path. */
export async function apiPages() {
  const { services, types } = elementsOf(await readContract());
  const used = new Map();
  for (const { methods } of services) {
    for (const name of methods.flatMap(({ inputType, outputType }) => [localName(inputType), localName(outputType)]))
      used.set(name, (used.get(name) ?? 0) + 1);
  }
  const onApiPage = new Set([...used.keys()]);
  const placeFrom = (page) => (name) => {
    const place = onApiPage.has(name) ? "api.md" : "api-types.md";
    return place === page ? "" : place;
  };
  const shown = new Set();
  const own = (name) => {
    if (shown.has(name)) return "";
    shown.add(name);
    return section(types.get(name), "####", placeFrom("api.md"));
  };
  const serviceText = ({ name, comment, methods }) => {
    const parts = methods.map((method) => {
      const [input, output] = [localName(method.inputType), localName(method.outputType)];
      const stream = (on) => (on ? "stream " : "");
      const signature = `\`rpc ${method.name}(${stream(method.clientStreaming)}${input}) returns (${stream(method.serverStreaming)}${output})\``;
      return [`### ${method.name}`, signature, method.comment, own(input), own(output)].filter(Boolean).join("\n\n");
    });
    return `## ${name}\n\n${comment}\n\n${parts.join("\n\n")}`;
  };
  const document = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"));
  const api = [HEAD + restPart(document), ...services.map(serviceText)].join("\n\n");
  const rest = [...types.values()]
    .filter(({ name }) => !onApiPage.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((type) => section(type, "##", placeFrom("api-types.md")));
  const tidy = (text) => `${text.replace(/\n{3,}/g, "\n\n").trimEnd()}\n`;
  return new Map([
    ["docs/api.md", tidy(api)],
    ["docs/api-types.md", tidy(TYPES_HEAD + rest.join("\n\n"))],
  ]);
}
