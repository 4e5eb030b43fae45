import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { demoProducts } from "../../../src/server/demo/catalogue.js";
import { DEMO_VISITOR, demoCurlLines } from "../../../src/server/demo/curl-lines.js";

/** What a POSIX shell hands to curl when the line is pasted. */
function wordsOf(line: string): string[] {
  const output = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${line}`], { encoding: "utf8" });
  return output.split("\0").slice(0, -1);
}

const products = demoProducts({ baseUrl: "" }).map(({ productId }) => productId);
const [status = "", trace = "", recommend = "", ...more] = demoCurlLines("http://127.0.0.1:8080/");

describe("the demo shop's curl lines", () => {
  it("are three, each one line that begins with curl", () => {
    expect(more).toEqual([]);
    for (const line of [status, trace, recommend]) expect(line).toMatch(/^curl [^\n]+$/);
  });

  it("ask for the status of the visitor who is subscribed in every simulation", () => {
    const url = new URL(wordsOf(status).at(-1) ?? "");
    expect(url.origin + url.pathname).toBe("http://127.0.0.1:8080/subscription_status");
    expect(Object.fromEntries(url.searchParams)).toEqual({ app_id: "demo", fpcid: DEMO_VISITOR.fingerprintId });
  });

  it("send a product view of the shop with the required fields", () => {
    const words = wordsOf(trace);
    const fields = new URLSearchParams(words.filter((_, index) => words[index - 1] === "-d").join("&"));
    expect(words).toContain("http://127.0.0.1:8080/trace");
    expect(fields.get("app_id")).toBe("demo");
    expect(fields.get("action_type")).toBe("product_view");
    expect(products).toContain(fields.get("product_ids"));
  });

  it("ask for recommendations with two interactions of products the shop has", () => {
    const words = wordsOf(recommend);
    const body: unknown = JSON.parse(words.at(-1) ?? "");
    expect(words).toContain("http://127.0.0.1:8080/recommend");
    expect(words).toContain("content-type: application/json");
    expect(body).toEqual({
      appId: "demo",
      currentProductIds: expect.toSatisfy((id) => products.includes(id)),
      productInteractions: ["product_view", "add_to_cart"].map((productInteractionType) => ({
        productInteractionType,
        productId: expect.toSatisfy((id) => products.includes(id)),
        utcInteractionDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })),
    });
  });

  it("date the cart at the requested time, and the view a little earlier", () => {
    const body = wordsOf(demoCurlLines("http://127.0.0.1:8080", Date.UTC(2030, 1, 2, 3, 4, 5))[2] ?? "").at(-1) ?? "";
    const dates = [...body.matchAll(/"utcInteractionDate":"([^"]+)"/g)].map(([, date]) => date);
    expect(dates).toEqual(["2030-02-02T03:03:25.000Z", "2030-02-02T03:04:05.000Z"]);
  });

  it("are quoted against any base URL", () => {
    const base = "http://localhost:8080/it's $HOME & more";
    expect(wordsOf(demoCurlLines(base)[0] ?? "").at(-1)).toMatch(`${base}/subscription_status?`);
    expect(wordsOf(demoCurlLines(base)[1] ?? "")).toContain(`${base}/trace`);
  });
});
