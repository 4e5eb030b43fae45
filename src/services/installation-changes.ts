import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { AlreadyExists, Conflict, NotFound } from "../domain/errors.js";
import { INSTALLATION } from "../domain/ids.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { Once } from "./mutations.js";

/**
 * Makes or removes an app, once for all tries of a request. Its `request_id` belongs to the installation, as the app may not
 * exist before or after. So there are three steps: the first try notes its plan, the app changes, and the answer is kept.
 * A retry follows the plan of the first try, for example its app id, and `make` must recognise what that one has done.
 */
export async function onceForInstallation<O extends Message>(
  changes: Pick<UnitOfWork, "run">,
  { repeatable }: Once<O>,
  plan: string,
  make: (plan: string) => Promise<MessageInitShape<GenMessage<O>> | O>,
): Promise<MessageInitShape<GenMessage<O>> | O> {
  if (repeatable === undefined) return make(plan);
  const { key } = repeatable;
  const before = await changes.run(INSTALLATION, (tx) => {
    const kept = repeatable.keptIn(tx);
    if (kept === undefined) tx.idempotency.put(key, repeatable.planned(plan));
    return kept;
  });
  if (before !== undefined && before.answer !== "") return repeatable.open(INSTALLATION, before);
  try {
    const answer = await make(before?.eventId ?? plan);
    await changes.run(INSTALLATION, (tx) => tx.idempotency.put(key, repeatable.claim(INSTALLATION, answer)));
    return answer;
  } catch (error) {
    if (before === undefined && isRefusal(error)) await changes.run(INSTALLATION, (tx) => tx.idempotency.delete(key));
    throw error;
  }
}

/** Nothing was changed: another request may have the id. */
function isRefusal(error: unknown): boolean {
  return error instanceof AlreadyExists || error instanceof Conflict || error instanceof NotFound;
}
