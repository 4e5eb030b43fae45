// The REST part of docs/api.md, from the OpenAPI document.

const cell = (text) => (text ?? "").replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
const nameOf = (reference) => reference.split("/").pop();

/** A type in few words; schemas with a name are links. */
function typeOf(schema = {}) {
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? "any"].flat();
  if (schema.type === "object" && schema.required !== undefined)
    return `object with \`${schema.required.join("`, `")}\``;
  return types.join(" or ");
}

function fieldsOf({ properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const need = required.includes(name) ? " (required)" : "";
    return `| \`${name}\` | ${typeOf(schema)}${need} | ${cell(schema.description)} |`;
  });
  return rows.length === 0 ? "" : `| field | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function operationText(method, path, operation, { parameters: shared }) {
  const parameters = (operation.parameters ?? []).map((one) => (one.$ref ? shared[nameOf(one.$ref)] : one));
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      `| \`${name}\` | ${place}${required ? " (required)" : ""} | ${typeOf(schema)} | ${cell(description)} |`,
  );
  const body = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, { schema }]) => `\`${type}\`: ${typeOf(schema)}`,
  );
  const answers = Object.entries(operation.responses).map(([status, { description, content = {} }]) => {
    const shapes = [...new Set(Object.values(content).map(({ schema }) => typeOf(schema)))].join(", ");
    return `| ${status} | ${shapes} | ${cell(description)} |`;
  });
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${operation.deprecated ? "Deprecated. " : ""}${[operation.summary, operation.description].filter(Boolean).join("\n\n")}`,
    rows.length > 0 ? `| parameter | in | type | meaning |\n|---|---|---|---|\n${rows.join("\n")}` : "",
    body.length > 0 ? `Body: ${body.join("; ")}. ${operation.requestBody.description ?? ""}` : "",
    `| status | body | meaning |\n|---|---|---|\n${answers.join("\n")}`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function restPart({ info, paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(method, path, operation, components)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    [`### ${name}`, schema.description ?? "", fieldsOf(schema)].filter(Boolean).join("\n\n"),
  );
  return [`## REST calls\n\n${info.description}`, ...operations, "## REST schemas", ...schemas].join("\n\n");
}
