import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { secretText } from "../../../src/domain/signature.js";
import { signatureHeaders } from "../../../src/identity/hooks/signature.js";

it("a hook's signature matches the example of the Standard Webhooks specification", () => {
  // The example of the specification's own libraries.
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const headers = signatureHeaders(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330_000, '{"test": 2432232314}');
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("a secret made from bytes encodes those bytes", () => {
  const bytes = Buffer.from("0123456789abcdef0123456789abcdef");
  const expected = createHmac("sha256", bytes).update("m1.1.{}").digest("base64");
  expect(signatureHeaders(secretText(bytes), "m1", 1999, "{}")["webhook-signature"]).toBe(`v1,${expected}`);
});
