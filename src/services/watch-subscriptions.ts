import { setTimeout as pause } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import type {
  WatchSubscriptionsRequest,
  WatchSubscriptionsResponseSchema,
} from "../gen/aisle/v1/subscription_service_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ContactStore } from "../store/ports/contact-store.js";
import { requireApp } from "./require-app.js";
import { changeMessage } from "./subscription-messages.js";

const EVERY_MS = 500;
/** Interval of messages without changes, in rounds. */
const HEARTBEAT_ROUNDS = 60;
const READ = 500;

/** Sends the entries of an app's consent ledger as they are appended, until `signal` fires. */
export async function* watchSubscriptions(
  deps: { readonly apps: Pick<AppStore, "get">; readonly contacts: Pick<ContactStore, "changes"> },
  { appId, contactId, resumeToken }: WatchSubscriptionsRequest,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof WatchSubscriptionsResponseSchema>> {
  await requireApp(deps.apps, appId);
  const owner = `${appId}\n${contactId}\n`;
  let after = readToken(resumeToken, owner);
  const token = () => Buffer.from(owner + after, "utf8").toString("base64url");
  let quiet = HEARTBEAT_ROUNDS; // the first message comes at once
  while (!signal.aborted) {
    const found = await deps.contacts.changes(appId, contactId, after, READ);
    after = found.at(-1)?.changeId ?? after;
    if (found.length > 0 || quiet++ >= HEARTBEAT_ROUNDS) {
      quiet = 0;
      yield { changes: found.map(changeMessage), resumeToken: token() };
    }
    if (found.length === READ) continue;
    await pause(EVERY_MS, undefined, { signal }).catch(() => undefined); // the loop ends
    await requireApp(deps.apps, appId);
  }
  throw signal.reason;
}

/** The id after which a token continues; "" for the beginning. */
function readToken(token: string, owner: string): string {
  if (token === "") return "";
  const text = Buffer.from(token, "base64url").toString("utf8");
  if (!text.startsWith(owner))
    throw new InvalidArgument("resume_token", "invalid", "the resume_token of a message to the same request");
  return text.slice(owner.length);
}
