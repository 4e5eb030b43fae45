import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { snippetsFor } from "../../../web/console/snippets.js";

const AWKWARD = { url: "http://127.0.0.1:8080", appId: "shop", productId: `a'b "c"&d+e`, visitor: "fp 1&x=y" };

/** The arguments that a shell makes of a line. */
function argumentsOf(line: string): string[] {
  const printed = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }; ${line}`], { encoding: "utf8" });
  return printed.split("\0").slice(0, -1);
}

const textOf = (title: string) => snippetsFor(AWKWARD).find((snippet) => snippet.title === title)?.text ?? "";

describe("the code to copy", () => {
  it("asks for the status of the visitor as it is called", () => {
    const [, address = ""] = argumentsOf(textOf("Is the visitor subscribed?"));
    const { searchParams } = new URL(address);
    expect(Object.fromEntries(searchParams)).toEqual({ app_id: "shop", fpcid: AWKWARD.visitor });
  });

  it("posts a view of the product, whatever characters its id has", () => {
    const words = argumentsOf(textOf("Take an event"));
    const form = words.filter((_, index) => words[index - 1] === "-d").join("&");
    expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
      app_id: "shop",
      action_type: "product_view",
      product_ids: AWKWARD.productId,
      fp_ccid: AWKWARD.visitor,
    });
  });

  it("asks for recommendations in JSON", () => {
    const body = argumentsOf(textOf("What to show next")).at(-1) ?? "";
    expect(JSON.parse(body)).toMatchObject({ appId: "shop", currentProductIds: AWKWARD.productId });
  });
});
