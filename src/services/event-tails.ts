import type { AppStore } from "../store/ports/app-store.js";
import type { EventStore } from "../store/ports/event-store.js";
import { EventTail } from "./event-tail.js";
import { requireApp } from "./require-app.js";
import { TimeSlices } from "./time-slices.js";
import type { WatchLimit } from "./watch-limit.js";

interface EventTailsDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly events: EventStore;
  readonly watches: WatchLimit;
}

/** The tails of the apps that are watched. */
export class EventTails {
  readonly slices = new TimeSlices();
  private readonly byApp = new Map<string, { readonly tail: EventTail; watches: number }>();

  constructor(private readonly deps: EventTailsDependencies) {}

  /** The tail of an app, until `leave` is called. Throws when there are too many watches. */
  join(appId: string): { readonly tail: EventTail; readonly leave: () => void } {
    const { apps, events, watches } = this.deps;
    const exit = watches.enter(appId);
    let known = this.byApp.get(appId);
    if (known === undefined) {
      const mustExist = () => requireApp(apps, appId);
      known = { tail: new EventTail(appId, { events, mustExist, slices: this.slices }), watches: 0 };
      this.byApp.set(appId, known);
    }
    const own = known;
    own.watches++;
    return {
      tail: own.tail,
      leave: () => {
        exit();
        if (--own.watches > 0) return;
        own.tail.close();
        this.byApp.delete(appId);
      },
    };
  }
}
