import type { Metrics } from "../adapters/metrics.js";
import type { EventContact } from "../domain/event.js";
import { refusesProfile, type SentSignals } from "../domain/privacy-signals.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { EventDraft } from "./normalise.js";
import type { RecordEvent, Recorded } from "./record-event.js";

/**
 * An event as it is stored for a sender who wants no profile: its action, products, category and order. It is linked to
 * no visitor, and not to the browser's next event. An address counts only if the person gave it to subscribe or
 * unsubscribe, and only for that.
 */
function withoutProfile(draft: EventDraft): EventDraft {
  const subscribes = draft.actionType.trim().toLowerCase() === "subscribe";
  return {
    ...draft,
    visitor: { clientId: "", fingerprintId: "", userId: "" },
    contact: subscribes && draft.contact !== null ? addressOf(draft.contact) : null,
    extraFields: {},
    isWithoutProfile: true,
  };
}

function addressOf({ email, phone, emailSubscribed, smsSubscribed }: EventContact): EventContact {
  const nothing = { firstName: "", lastName: "", country: "", city: "", gender: "", birthDate: "", tags: [] };
  return { ...nothing, email, phone, emailSubscribed, smsSubscribed };
}

/** `RecordEvent` of what a browser sent with these signals: where its app goes by them, as `withoutProfile` leaves it. */
export type RecordSentEvent = (...call: [...event: Parameters<RecordEvent>, signals: SentSignals]) => Promise<Recorded>;

export function createOptOutRecorder(deps: {
  readonly recordEvent: RecordEvent;
  readonly apps: Pick<AppStore, "get">;
  readonly metrics: Metrics;
}): RecordSentEvent {
  const { recordEvent, apps, metrics } = deps;
  return async (appId, draft, idempotencyKey, single, signals) => {
    const app = appId !== "" && sentAny(signals) ? await apps.get(appId) : undefined;
    if (app === undefined || !refusesProfile(app.privacy.signals, signals))
      return recordEvent(appId, draft, idempotencyKey, single);
    const recorded = await recordEvent(appId, withoutProfile(draft), idempotencyKey, single);
    if (!recorded.deduplicated) metrics.count("events_without_profile");
    return recorded;
  };
}

function sentAny({ globalPrivacyControl, doNotTrack }: SentSignals): boolean {
  return globalPrivacyControl || doNotTrack;
}
