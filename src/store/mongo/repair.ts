import { Unavailable } from "../../domain/errors.js";
import { connect } from "./connection.js";
import { mendContactKeys } from "./contact-keys.js";
import { FORMAT_NUMBER, formatOf } from "./format.js";

/** Sets the index of contacts right. Answers how many records it changed. */
export async function repairMongo(url: string, answerMs: number): Promise<number> {
  const { connection } = await connect(url, answerMs, () => undefined);
  try {
    if ((await formatOf(connection)) !== FORMAT_NUMBER)
      throw new Unavailable("The database holds no store of this version of Aisle; a server that starts upgrades it");
    return await mendContactKeys(connection);
  } finally {
    await connection.client.close();
  }
}
