/** A value that JSON can write. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** A reference to a part of the document that has a name. */
export function part(kind: "schemas" | "headers" | "responses" | "parameters", name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}
