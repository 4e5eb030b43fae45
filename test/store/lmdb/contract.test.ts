import { storeContract } from "../../contract/store.js";
import { openEmbedded } from "./open-embedded.js";

storeContract("embedded", openEmbedded, {
  oneClock: "one process has the directory",
  oneProcess: "one process has the directory",
});
