import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type ContactRecommendation,
  NoRecommendation,
  type RecommendRequestSchema,
} from "../gen/aisle/v1/recommendation_service_pb.js";
import { type ServerOptions, withClients } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure, UsageFailure } from "./errors.js";
import { openInput } from "./import/input.js";
import { count, csvLine, newFile, writeLine } from "./output.js";

export interface ContactOptions extends ServerOptions {
  readonly contacts?: string;
  readonly out?: string;
  readonly limit?: number;
  readonly includeUnsubscribed?: boolean;
}

/** Products of a line, unless --limit says otherwise. */
const PRODUCTS = 4;
const HEADER = /^"?(e-?mail|phone|contact|contact_id)\b/i;

/** Writes a line of CSV for each contact of a file. */
export async function recommendToFile(
  options: ContactOptions,
  request: MessageInitShape<typeof RecommendRequestSchema>,
  deps: CommandDeps,
): Promise<void> {
  if (options.out === undefined) throw new UsageFailure("--contacts needs --out FILE.csv");
  const contacts = await contactsOf(options.contacts ?? "-", deps);
  const file = await newFile(options.out);
  const size = options.limit ?? PRODUCTS;
  let answered = 0;
  let omitted = 0;
  try {
    await file.writeFile(csvLine(header(size)));
    await withClients(options, deps, async ({ recommendations }) => {
      const includeUnsubscribed = options.includeUnsubscribed ?? false;
      const asked = { ...request, recommendedCount: size, alternativeCount: size };
      for await (const { results } of recommendations.recommendForContacts({
        request: asked,
        contacts,
        includeUnsubscribed,
      })) {
        for (const { result } of results) result.case === "response" ? answered++ : omitted++;
        await file.writeFile(results.map((one) => csvLine(cellsOf(one, size))).join(""));
      }
    });
    await file.sync();
  } finally {
    await file.close();
  }
  writeLine(deps.stderr, `${count(answered)} contacts with recommendations, ${count(omitted)} without`);
}

/** The first column of each line, without a header and empty lines. */
async function contactsOf(path: string, deps: CommandDeps): Promise<string[]> {
  const input = await openInput(path, deps.stdin);
  const contacts: string[] = [];
  try {
    for await (const line of createInterface({
      input: Readable.from(input.chunks),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const [cell = ""] = line.replace(/^\uFEFF/, "").split(/[,;\t]/);
      const contact = cell.trim().replace(/^"(.*)"$/, "$1");
      if (contact !== "" && !(contacts.length === 0 && HEADER.test(line))) contacts.push(contact);
    }
  } finally {
    await input.close();
  }
  // An empty list would mean all contacts.
  if (contacts.length === 0) throw new Failure(`${input.name} has no contacts`);
  return contacts;
}

function header(size: number): string[] {
  const columns = ["id", "title", "url", "image_url", "price", "currency"];
  const products = Array.from({ length: size }, (_, i) => columns.map((column) => `product_${i + 1}_${column}`));
  return ["contact", "contact_id", "result", ...products.flat()];
}

/** Complements first, then similar products. */
function cellsOf({ contact, contactId, result }: ContactRecommendation, size: number): string[] {
  const answer = result.case === "response" ? result.value : undefined;
  const cards = [...(answer?.recommended ?? []), ...(answer?.alternative ?? [])].slice(0, size);
  const products = Array.from({ length: size }, (_, i) => {
    const { productId = "", title = "", url = "", imageUrl = "", price } = cards[i] ?? {};
    return [productId, title, url, imageUrl, price?.amount ?? "", price?.currency ?? ""];
  });
  return [contact, contactId, resultText(result), ...products.flat()];
}

function resultText(result: ContactRecommendation["result"]): string {
  if (result.case === "response") return "ok";
  if (result.case === "error") return `error: ${result.value.message}`;
  return result.value === NoRecommendation.NOT_SUBSCRIBED ? "not subscribed" : "unknown";
}
