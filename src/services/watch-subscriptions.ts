import { setTimeout as pause } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  SubscriptionService,
  type WatchSubscriptionsRequest,
  type WatchSubscriptionsResponseSchema,
} from "../gen/aisle/v1/subscription_service_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ContactStore } from "../store/ports/contact-store.js";
import { requireApp } from "./require-app.js";
import { changeMessage } from "./subscription-messages.js";
import { tokensOf } from "./tokens.js";
import type { WatchLimit } from "./watch-limit.js";

const EVERY_MS = 500;
/** Interval of messages without changes, in rounds. */
const HEARTBEAT_ROUNDS = 60;
const READ = 500;

interface WatchDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly contacts: Pick<ContactStore, "changes">;
  readonly watches: WatchLimit;
}

/** Sends the entries of an app's consent ledger as they are appended, until `signal` fires. */
export async function* watchSubscriptions(
  deps: WatchDependencies,
  request: WatchSubscriptionsRequest,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof WatchSubscriptionsResponseSchema>> {
  await requireApp(deps.apps, request.appId);
  const leave = deps.watches.enter(request.appId);
  try {
    yield* follow(deps, request, signal);
  } finally {
    leave();
  }
}

async function* follow(
  deps: WatchDependencies,
  request: WatchSubscriptionsRequest,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof WatchSubscriptionsResponseSchema>> {
  const { appId, contactId, resumeToken } = request;
  const watched: WatchSubscriptionsRequest = { ...request, resumeToken: "" };
  const tokens = tokensOf("resume_token", SubscriptionService.method.watchSubscriptions, watched);
  let after = resumeToken === "" ? "" : tokens.open(resumeToken);
  let quiet = HEARTBEAT_ROUNDS; // the first message comes at once
  while (!signal.aborted) {
    const found = await deps.contacts.changes(appId, contactId, after, READ);
    after = found.at(-1)?.changeId ?? after;
    if (found.length > 0 || quiet++ >= HEARTBEAT_ROUNDS) {
      quiet = 0;
      yield { changes: found.map(changeMessage), resumeToken: tokens.seal(after) };
    }
    if (found.length === READ) continue;
    await pause(EVERY_MS, undefined, { signal }).catch(() => undefined); // the loop ends
    await requireApp(deps.apps, appId);
  }
  throw signal.reason;
}
