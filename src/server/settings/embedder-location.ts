/** The embedder of product texts. */
export type EmbedderLocation =
  | { readonly kind: "builtin" }
  /** The built-in one, taught by the app's own visits which products belong together. */
  | { readonly kind: "visits" }
  /** A folder or file of a sentence model, as given, relative to the working directory. */
  | { readonly kind: "onnx"; readonly path: string }
  | {
      readonly kind: "http";
      /** Endpoint without a query. */
      readonly url: string;
      readonly model: string;
      /** Requested length of vectors; null for the model's own. */
      readonly dimensions: number | null;
      /** Never shown, and sent to that address only. */
      readonly key: string | null;
    };

/** The message names the accepted values, and shows nothing of an address or key. */
export class UnusableEmbedder extends Error {}

/** The key itself, or the file that contains it. */
export interface EmbedderKey {
  readonly key: string | undefined;
  readonly readKeyFile: (() => string) | undefined;
}

const FORMS =
  "builtin, visits, onnx:PATH or an address such as https://api.example.com/v1/embeddings?model=NAME is accepted";

/**
 * Reads `builtin`, `visits`, `onnx:PATH` or an address with `model` and perhaps `dimensions` in its query.
 *
 * @throws UnusableEmbedder with the accepted values.
 */
export function readEmbedderLocation(text: string, secret: EmbedderKey): EmbedderLocation {
  if (text === "builtin" || text === "visits") return { kind: text };
  const path = /^onnx:(.*)$/s.exec(text)?.[1]?.trim();
  if (path && !path.includes("\0")) return { kind: "onnx", path };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UnusableEmbedder(FORMS);
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    throw new UnusableEmbedder("an address without user, password and fragment is accepted");
  const model = url.searchParams.get("model") ?? "";
  if (model === "") throw new UnusableEmbedder("the address must name the model: ?model=NAME");
  const asked = url.searchParams.get("dimensions");
  if (asked !== null && !/^[1-9]\d{0,3}$/.test(asked))
    throw new UnusableEmbedder("dimensions in the address must be a whole number from 1 to 9999");
  const key = secret.key ?? (secret.readKeyFile?.().trim() || null);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new UnusableEmbedder("a key of printable characters without spaces is accepted");
  if (key !== null && url.protocol === "http:" && !isLoopback(url.hostname))
    throw new UnusableEmbedder("a key is sent by https only, or to this machine");
  const dimensions = asked === null ? null : Number(asked);
  return { kind: "http", url: url.origin + url.pathname, model, dimensions, key };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
