/** What calls and their answers have that the OpenAPI document does not say. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openApiDocument } from "../../src/facade/openapi/document.js";
import type { Json, JsonObject } from "../../src/facade/openapi/schemas.js";
import { cleanId, isNothing } from "../../src/facade/text-values.js";
import type { WireRequest, WireResponse } from "../wire/target.js";

export interface Exchange {
  readonly request: WireRequest;
  readonly answer: WireResponse;
}

export interface Contract {
  /** What differs, as lines; empty when the document says all of it, or does not speak of this path and method. */
  differences(exchange: Exchange): Promise<string[]>;
  /** `POST /trace 200` of all answers the document describes. */
  readonly answers: readonly string[];
  /** How many examples the document has, and what is wrong with them. */
  readonly examples: number;
  readonly exampleFaults: readonly string[];
  /** The validator of a schema of the document, by its name. */
  schema(name: string): ValidateFunction;
}

/** An answer's own words for a request that its schema must not let through. */
const UNREADABLE = /^(Missing required (field|parameter)|Invalid (field|parameter|JSON|app_id|appId)\b)/;
/** As the document has it, and naming nothing that exists; or left to a cookie, of which the document speaks in words. */
const LEFT_OPEN = /^Invalid (app_id|appId)$|: fpcid$/;

export function readContract(): Contract {
  const document = openApiDocument("/");
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  formats.default(ajv);
  for (const word of ["openapi", "info", "servers", "security", "tags", "paths", "components"]) ajv.addKeyword(word);
  ajv.addSchema({ $id: "openapi:", ...document });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (schema: Json): ValidateFunction => {
    const key = JSON.stringify(schema);
    const known = compiled.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"openapi:#/')));
    compiled.set(key, known);
    return known;
  };
  const faults = (schema: Json, value: unknown, place: string): string[] => {
    const validate = validator(schema);
    return validate(value) ? [] : [`${place}: ${ajv.errorsText(validate.errors, { dataVar: "it" })}`];
  };
  /** Follows a reference. */
  const resolve = (value: Json | undefined): JsonObject => {
    const found = objectOf(value);
    return typeof found.$ref === "string" ? resolve(at(document, found.$ref)) : found;
  };

  const operationOf = (method: string, path: string): JsonObject | undefined => {
    const found = objectOf(objectOf(objectOf(document.paths)[path])[method.toLowerCase()]);
    return found.operationId === undefined ? undefined : found;
  };

  const answerFaults = (operation: JsonObject, { status, headers, body }: WireResponse): string[] => {
    const described = resolve(objectOf(operation.responses)[String(status)]);
    if (described.description === undefined) return [`${status} is not described`];
    const headerFaults = Object.entries(objectOf(described.headers)).flatMap(([name, header]) => {
      const value = headers[name];
      const { required, schema } = resolve(header);
      if (value === undefined) return required === true ? [`header ${name} is missing`] : [];
      return [value].flat().flatMap((one) => faults(schema ?? true, String(one), `header ${name}`));
    });
    const [type = ""] = String(headers["content-type"]).split(";");
    const media = objectOf(objectOf(described.content)[type]);
    if (media.schema === undefined) return [...headerFaults, `content type ${type} is not described`];
    return [...headerFaults, ...faults(media.schema, JSON.parse(body), "body")];
  };

  /** Undefined for a body that cannot be read. */
  const requestFaults = async (operation: JsonObject, request: WireRequest, path: string) => {
    const query = new URLSearchParams(request.url.slice(path.length));
    const parameters = listOf(operation.parameters)
      .map(resolve)
      .filter((parameter) => parameter.in === "query")
      .flatMap((parameter) => {
        const value = query.get(String(parameter.name)) || undefined;
        if (parameter.name === "fpcid" && cookieServes(request)) return [];
        if (value !== undefined) return faults(parameter.schema ?? true, value, `query ${parameter.name}`);
        return parameter.required === true ? [`query ${parameter.name} is missing`] : [];
      });
    // The document describes what is decoded.
    if (request.headers["content-encoding"] !== undefined) return undefined;
    const bodies = objectOf(objectOf(operation.requestBody).content);
    const json = objectOf(bodies["application/json"]);
    if (json.schema !== undefined) {
      const text = (request.body ?? "").toString();
      return [...parameters, ...faults(json.schema, parsed(text.replace(/^\u{feff}/u, "")), "body")];
    }
    const form = objectOf(bodies["multipart/form-data"]);
    if (form.schema === undefined) return parameters;
    const fields = await fieldsOf(request);
    return fields && [...parameters, ...faults(form.schema, fields, "form")];
  };

  let examples = 0;
  const lookAt = (node: Json, place: string): string[] => {
    if (isList(node)) return node.flatMap((child, index) => lookAt(child, `${place}/${index}`));
    const inner = Object.entries(objectOf(node)).flatMap(([name, child]) => lookAt(child, `${place}/${name}`));
    const { schema, examples: given } = objectOf(node);
    if (given === undefined || place.endsWith("/properties")) return inner;
    const values = isList(given)
      ? given
      : Object.values(objectOf(given)).map((example) => objectOf(example).value ?? null);
    examples += values.length;
    return [...inner, ...values.flatMap((value) => faults(schema ?? node, value, place))];
  };
  const exampleFaults = lookAt(document, "");

  return {
    examples,
    exampleFaults,
    async differences({ request, answer }) {
      const [path = ""] = request.url.split("?");
      const operation = operationOf(request.method, path);
      if (operation === undefined) return [];
      const text = textOf(answer.body);
      const faulty = await requestFaults(operation, request, path);
      const says: string[] = [];
      if (answer.status === 200 && faulty !== undefined && faulty.length > 0)
        says.push(`a request was accepted: ${faulty.join("; ")}`);
      if (UNREADABLE.test(text) && !LEFT_OPEN.test(text) && faulty?.length === 0)
        says.push(`a request was refused that the document takes: ${text}`);
      return [...says, ...answerFaults(operation, answer)].map((line) => `${request.method} ${path}: ${line}`);
    },
    answers: Object.entries(objectOf(document.paths)).flatMap(([path, methods]) =>
      Object.entries(objectOf(methods)).flatMap(([method, operation]) =>
        Object.keys(objectOf(objectOf(operation).responses)).map(
          (status) => `${method.toUpperCase()} ${path} ${status}`,
        ),
      ),
    ),
    schema: (name) => validator({ $ref: `#/components/schemas/${name}` }),
  };
}

/**
 * The fields of a form as the document counts them: of a repeated name the first value, none that counts as not sent.
 * Undefined for a body that is no whole form.
 */
async function fieldsOf({ headers, body = Buffer.alloc(0) }: WireRequest): Promise<Record<string, string> | undefined> {
  const type = headers["content-type"] ?? "";
  const pairs = type.toLowerCase().startsWith("multipart/")
    ? await new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined)
    : new URLSearchParams(
        body
          .toString()
          .replace(/^\u{feff}/u, "")
          .trimEnd(),
      );
  if (pairs === undefined) return undefined;
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (typeof value !== "string" || value.split("|").every(isNothing) || fields.has(name)) continue;
    if (name.endsWith("_id") && cleanId(value) === "") continue;
    // What the facade compares without case, and JSON Schema cannot.
    fields.set(name, name === "action_type" ? value.trim().toLowerCase() : value);
  }
  return Object.fromEntries(fields);
}

function cookieServes({ headers }: WireRequest): boolean {
  return /fp_ccid=/.test(headers.cookie ?? "");
}

function textOf(body: string): string {
  const { error, message } = objectOf(parsed(body));
  return [error, message].filter((text) => typeof text === "string").join();
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return "";
  }
}

function at(document: JsonObject, reference: string): Json {
  const names = reference.replace("#/", "").split("/");
  return names.reduce<Json>((place, name) => objectOf(place)[name] ?? null, document);
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
