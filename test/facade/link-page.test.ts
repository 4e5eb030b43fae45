import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkPage } from "../../src/facade/link-page.js";

describe("the page of a signed link", () => {
  it("has one button that posts to the same address", () => {
    const page = linkPage("ask_unsubscribe", "Lark & Sons", undefined);
    expect(page).toContain('<form method="post"><button>Unsubscribe</button></form>');
    expect(page).toContain("<h1>Lark &amp; Sons</h1>");
  });

  it.each(["confirmed", "unsubscribed", "void", "failed"] as const)("has no button when it says %s", (state) => {
    expect(linkPage(state, "", undefined)).not.toContain("<button");
  });

  it.each([
    ["de-AT,de;q=0.9,en;q=0.5", "de"],
    ["en;q=0.3, fr;q=0.8", "fr"],
    ["xx, pl;q=0", "en"],
    ["tlh;q=1, it;q=0.1", "it"],
    ["", "en"],
    ["*", "en"],
    [";;;,=,q=9", "en"],
  ])("answers %j in %s", (header, language) => {
    expect(linkPage("void", "", header)).toContain(`<html lang="${language}">`);
  });

  it("shows a name as plain text, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const inside = /<h1>(.*)<\/h1>/s.exec(linkPage("confirmed", `x${name}`, "en"))?.[1] ?? "";
        expect(inside).not.toMatch(/[<>"']/);
      }),
    );
  });
});
