import { describe, expect, it } from "vitest";
import { CONTENT_TYPES } from "../hostile/http-attacks.js";
import { openFacade } from "./fixture.js";

const invalid = JSON.stringify({ appId: "shop", productInteractions: [{ productInteractionType: "x" }] });
const invalidText = '{"error":"Invalid field: productInteractions[0].productInteractionType"}';

/** What frameworks have taken for another type, and so passed by their validation: CVE-2026-25223, -3419, -33806. */
describe.each([...CONTENT_TYPES, undefined])("a content type of %j", (contentType) => {
  const headers = contentType === undefined ? {} : { "content-type": contentType };

  it("lets no invalid body of /recommend through", async () => {
    const { facade, calls } = openFacade();
    const answer = await facade.inject({ method: "POST", url: "/recommend", headers, payload: Buffer.from(invalid) });
    expect([answer.statusCode, answer.body]).toEqual([400, invalidText]);
    expect(calls).toEqual([]);
  });

  it("lets no invalid body of /trace through", async () => {
    const { facade, calls } = openFacade();
    const sent = { method: "POST", url: "/trace", headers } as const;
    const answer = await facade.inject({ ...sent, payload: Buffer.from("action_type=other") });
    expect([400, 415]).toContain(answer.statusCode);
    expect(answer.json()).toEqual({
      error: expect.stringMatching(/^(Missing required field: app_id|Unsupported content type|Invalid body)$/),
    });
    expect(calls).toEqual([]);
  });
});

it.each([
  ["application/x-www-form-urlencoded; charset=utf-7", 200],
  ['APPLICATION/X-WWW-FORM-URLENCODED;charset="x', 200],
  ["text/plain; a=b; a=c", 200],
  ["", 200],
  ["application/x-www-form-urlencodedx", 415],
  ["text/plain, application/json", 415],
])("/trace with a form called %j answers %i", async (contentType, status) => {
  const { facade } = openFacade();
  const headers = { "content-type": contentType };
  const answer = await facade.inject({
    method: "POST",
    url: "/trace",
    headers,
    payload: Buffer.from("app_id=shop&action_type=other"),
  });
  expect(answer.statusCode).toBe(status);
});
