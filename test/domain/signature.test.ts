import { describe, expect, it } from "vitest";
import { isSignedBy, sign } from "../../src/domain/signature.js";

/** The example of the specification's own libraries. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SIGNED = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: '{"test": 2432232314}' };
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

describe("signatures by Standard Webhooks", () => {
  it("match the examples of the specification, for text and for bytes", () => {
    expect(sign(SECRET, SIGNED)).toBe(SIGNATURE);
    expect(sign(SECRET, { ...SIGNED, body: Buffer.from(SIGNED.body) })).toBe(SIGNATURE);
    expect(isSignedBy([SECRET], SIGNED, SIGNATURE)).toBe(true);
  });

  it("hold only for the id, the timestamp, the body and the secret they were made of", () => {
    for (const other of [{ id: "msg_1" }, { timestamp: "1614265331" }, { body: '{"test":2432232314}' }])
      expect(isSignedBy([SECRET], { ...SIGNED, ...other }, SIGNATURE)).toBe(false);
    expect(isSignedBy([OTHER], SIGNED, SIGNATURE)).toBe(false);
    expect(isSignedBy([], SIGNED, SIGNATURE)).toBe(false);
  });

  it("may be several: one valid signature is enough", () => {
    expect(isSignedBy([OTHER, SECRET], SIGNED, `v1a,x v1,AAAA ${SIGNATURE}`)).toBe(true);
    expect(isSignedBy([OTHER], SIGNED, `${SIGNATURE} ${sign(OTHER, SIGNED)}`)).toBe(true);
  });

  it("are invalid when cut short, of another version, or too many", () => {
    for (const text of ["", "v1,", SIGNATURE.slice(0, -3), SIGNATURE.slice(3), `v2${SIGNATURE.slice(2)}`])
      expect(isSignedBy([SECRET], SIGNED, text)).toBe(false);
    expect(isSignedBy([SECRET], SIGNED, `${"v1,AAAA ".repeat(8)}${SIGNATURE}`)).toBe(false);
  });
});
