import { describe, expect, it } from "vitest";
import { openFacade } from "./fixture.js";

describe("the facade under overload", () => {
  it("refuses events before it reads them, after a short pause and with Retry-After, and answers everything else", async () => {
    const counted: unknown[] = [];
    const metrics = { count: (...args: unknown[]) => void counted.push(args), observe: () => {} };
    const { facade, calls } = openFacade({}, { isFull: () => true, metrics });
    for (const url of ["/trace", "/trace.php"]) {
      const payload = "app_id=shop&action_type=other";
      const sentAt = performance.now();
      const answer = await facade.inject({ method: "POST", url, payload, headers: { origin: "https://shop.example" } });
      expect([answer.statusCode, answer.json()]).toEqual([503, { error: "Service temporarily unavailable" }]);
      expect(answer.headers["retry-after"]).toBe("1");
      expect(performance.now() - sentAt).toBeGreaterThan(300);
      expect(answer.headers["access-control-allow-origin"]).toBe("https://shop.example");
    }
    expect(calls).toEqual([]);
    expect(counted.filter((args) => JSON.stringify(args).includes("shed"))).toEqual([
      ["shed", { reason: "calls" }],
      ["shed", { reason: "calls" }],
    ]);
    expect((await facade.inject({ url: "/healthz" })).statusCode).toBe(200);
  });
});
