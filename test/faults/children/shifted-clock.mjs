// Preloaded (`--import`) into servers: their system clock is off by the milliseconds in the file AISLE_TEST_CLOCK, read anew all
// the time. With AISLE_TEST_BOOT the machine seems to have started for that name. Monotonic time is the machine's own.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { AISLE_TEST_CLOCK: file = "", AISLE_TEST_BOOT: boot = "" } = process.env;
const RealDate = Date;
const realNow = Date.now;
const read = fs.readFileSync;
let shift = 0;
const look = () => {
  shift = Number(read(file, "utf8"));
};
look();
setInterval(look, 10).unref();

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(realNow() + shift);
    else super(...parts);
  }
  static now() {
    return realNow() + shift;
  }
};

if (boot !== "") {
  fs.readFileSync = (path, ...rest) => (path === "/proc/sys/kernel/random/boot_id" ? boot : read(path, ...rest));
  syncBuiltinESMExports();
}
