// The released contract: an image of proto/ with every element of it, which every later change is compared with.
import { bin } from "./lib.mjs";

/** Its place in the checkout. buf reads only .proto files there, so it is in nobody's way. */
export const released = "proto/released.binpb";

/** The command, and its arguments, that fails when proto/ breaks what was released. */
export const breaking = [bin("buf"), "breaking", "--against", released];
