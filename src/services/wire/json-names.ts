/**
 * Refusals name fields as their senders write them. Services name them as the contract does, `email_state`; whoever sends JSON
 * writes `emailState`.
 */
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { type FieldFault, violationsText } from "../../domain/errors.js";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.js";

export const jsonNames: Interceptor = (next) => async (request) => {
  if (!isJson(request.header.get("content-type"), request.url)) return next(request);
  try {
    const response = await next(request);
    return response.stream ? { ...response, message: withJsonNames(response.message) } : response;
  } catch (error) {
    throw inJsonNames(error);
  }
};

/** Whether a call has its messages in JSON: by its content type, or by the query of a GET. */
function isJson(contentType: string | null, url: string): boolean {
  if (contentType !== null && contentType !== "") return /\bjson\b/i.test(contentType);
  return new URL(url).searchParams.get("encoding") === "json";
}

async function* withJsonNames<T>(messages: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* messages;
  } catch (error) {
    throw inJsonNames(error);
  }
}

function inJsonNames(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  const fieldViolations = error.findDetails(BadRequestSchema)[0]?.fieldViolations.map((violation) => {
    // What a mask accepts are names of fields as well.
    const description = violation.field.endsWith("_mask") ? inCamelCase(violation.description) : violation.description;
    return { ...violation, field: inCamelCase(violation.field), description };
  });
  if (fieldViolations === undefined) return error;
  const text = violationsText(
    fieldViolations.map(({ field, reason, description: accepted }) => {
      const fault: FieldFault = reason === "FIELD_MISSING" ? "missing" : "invalid";
      return { field, fault, accepted };
    }),
  );
  const named = new ConnectError(text, error.code, error.metadata, undefined, error.cause);
  named.details = error.details.map((detail) =>
    typeOf(detail) === BadRequestSchema.typeName ? { desc: BadRequestSchema, value: { fieldViolations } } : detail,
  );
  return named;
}

function typeOf(detail: ConnectError["details"][number]): string {
  return "desc" in detail ? detail.desc.typeName : detail.type;
}

function inCamelCase(path: string): string {
  return path.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
