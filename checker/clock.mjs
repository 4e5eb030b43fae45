// Preloaded into a server in Node (`--import`): its system clock is off by the milliseconds in the file CHECKER_CLOCK, read anew
// all the time. The checker's fault `clock` writes that file; see README.md.
import { readFileSync } from "node:fs";

const RealDate = Date;
let shift = 0;
setInterval(() => {
  shift = Number(readFileSync(process.env.CHECKER_CLOCK, "utf8"));
}, 10).unref();

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shift);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + shift;
  }
};
