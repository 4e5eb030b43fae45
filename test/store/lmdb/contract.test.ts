import { storeContract } from "../../contract/store.js";
import { openEmbedded } from "./open-embedded.js";

storeContract("embedded", openEmbedded, { oneClock: "processes of one machine share its clock" });
