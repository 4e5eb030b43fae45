import { createHash } from "node:crypto";
import { DataDamaged } from "../../domain/errors.js";
import type { ModelRecord } from "../../domain/model.js";
import type { Store } from "../ports/store.js";
import { canonicalText } from "./canonical.js";
import type { TableDigest } from "./digest.js";

/**
 * Copies the models and the pointer, so that the target can recommend at once. Each store counts training data changes
 * itself. The target therefore sees the models as outdated and trains again within a day.
 * @param all also those the target has already, whose bytes may be damaged
 */
export async function copyModels(from: Store, to: Store, appId: string, all: boolean): Promise<number> {
  const wanted = await from.models.list(appId);
  let written = 0;
  const putMissing = async (anyway: boolean): Promise<void> => {
    const there = new Map((await to.models.list(appId)).map((record) => [record.modelId, record]));
    for (const record of wanted) {
      const known = there.get(record.modelId);
      if (!anyway && known !== undefined && textOf(known) === textOf(record)) continue;
      const bytes = await from.models.read(appId, record.modelId);
      if (bytes === undefined) continue; // removed meanwhile, as the comparison finds out
      await to.models.put(appId, { ...record, activity: "" }, bytes);
      written++;
    }
  };
  await putMissing(all);
  const pointer = await from.models.pointer(appId);
  if (pointer !== undefined && canonicalText(await to.models.pointer(appId)) !== canonicalText(pointer)) {
    await to.models.setPointer(appId, () => pointer);
    written++;
  }
  const ids = new Set(wanted.map(({ modelId }) => modelId));
  for (;;) {
    const extra = (await to.models.list(appId)).findIndex(({ modelId }) => !ids.has(modelId));
    if (extra === -1 || pointer === undefined) return written;
    await to.models.prune(appId, extra); // and with it older ones that belong there
    await putMissing(false);
  }
}

/** Counts the models and their bytes, and the pointer. One that is damaged has no checksum that another one has. */
export async function digestModels(store: Store, appId: string): Promise<TableDigest> {
  const records = [...(await store.models.list(appId))].sort((a, b) => (a.modelId < b.modelId ? -1 : 1));
  const hash = createHash("sha256");
  let damaged = 0;
  for (const record of records) {
    hash.update(textOf(record));
    try {
      const bytes = await store.models.read(appId, record.modelId);
      const ofBytes = createHash("sha256");
      for (const piece of bytes ?? [Buffer.from("none")]) ofBytes.update(piece);
      hash.update(ofBytes.digest());
    } catch (error) {
      if (!(error instanceof DataDamaged)) throw error;
      damaged++;
    }
  }
  hash.update(canonicalText(await store.models.pointer(appId)));
  return { rows: records.length, checksum: damaged === 0 ? hash.digest("hex") : `${damaged} damaged` };
}

function textOf(record: ModelRecord): string {
  return canonicalText({ ...record, activity: "" });
}
