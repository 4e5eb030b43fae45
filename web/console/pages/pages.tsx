import type { ComponentChild } from "preact";
import type { Page } from "../route.js";
import { EventsPage } from "./events.js";
import { ExperimentsPage } from "./experiments.js";
import { FramesPage } from "./frames.js";
import { ModelsPage } from "./models.js";
import { ProductsPage } from "./products.js";
import { RejectedPage } from "./rejected.js";
import { ResultsPage } from "./results.js";
import { SubscriptionsPage } from "./subscriptions.js";
import { TodayPage } from "./today.js";
import { TryPage } from "./try.js";

/** The page of an app. `details` are those of the route. */
export function pageOf(page: Page, appId: string, details: Readonly<Record<string, string>>): ComponentChild {
  switch (page) {
    case "today":
      return <TodayPage appId={appId} />;
    case "try":
      return <TryPage appId={appId} />;
    case "events":
      return <EventsPage appId={appId} details={details} />;
    case "rejected":
      return <RejectedPage appId={appId} />;
    case "products":
      return <ProductsPage appId={appId} words={details.q ?? ""} />;
    case "models":
      return <ModelsPage appId={appId} />;
    case "frames":
      return <FramesPage key={appId} appId={appId} frame={details.frame} />;
    case "experiments":
      return <ExperimentsPage key={appId} appId={appId} />;
    case "results":
      return <ResultsPage key={appId} appId={appId} />;
    case "subscriptions":
      return <SubscriptionsPage key={appId} appId={appId} contactId={details.contact} />;
  }
}
