import type { EventContact, EventProduct } from "../domain/event.js";
import { refusesProfile, type SentSignals } from "../domain/privacy-signals.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { SentEvent } from "./normalise.js";

/**
 * An event as it is stored for a sender who wants no profile: its action, products, category and order, without the text of a
 * search and without addresses that carry a query. It is linked to
 * no visitor, and not to the browser's next event. An address counts only if the person gave it to subscribe or
 * unsubscribe, and only for that.
 */
function withoutProfile(sent: SentEvent): SentEvent {
  const subscribes = /^\s*(un)?subscribe\s*$/i.test(sent.actionType);
  return {
    ...sent,
    visitor: { clientId: "", fingerprintId: "", userId: "" },
    contact: subscribes && sent.contact !== null ? addressOf(sent.contact) : null,
    products: sent.products.map(withoutQueries),
    searchQuery: "",
    extraFields: {},
    recommendationIds: [],
    isWithoutProfile: true,
  };
}

/** A URL without its query may be another page's, so it goes as a whole. */
function withoutQueries(product: EventProduct): EventProduct {
  const plain = (url: string) => (/[?#]/.test(url) ? "" : url);
  return { ...product, url: plain(product.url), imageUrl: plain(product.imageUrl) };
}

function addressOf({ email, phone, emailSubscribed, smsSubscribed }: EventContact): EventContact {
  const nothing = { firstName: "", lastName: "", country: "", city: "", gender: "", birthDate: "", tags: [] };
  return { ...nothing, email, phone, emailSubscribed, smsSubscribed };
}

/** The event as it may be stored: where its app goes by such signals, as `withoutProfile` leaves it. */
export async function honourSignals(
  apps: Pick<AppStore, "get">,
  appId: string,
  sent: SentEvent,
  signals: SentSignals,
): Promise<SentEvent> {
  if (appId === "" || !(signals.globalPrivacyControl || signals.doNotTrack)) return sent;
  const app = await apps.get(appId);
  return app !== undefined && refusesProfile(app.privacy.signals, signals) ? withoutProfile(sent) : sent;
}
