import type { App } from "../domain/app.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { AppStore } from "../ports/app-store.js";

/** The app; when there is none it rejects with InvalidArgument (none named) or NotFound. */
export async function requireApp(apps: Pick<AppStore, "get">, appId: string): Promise<App> {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  const app = await apps.get(appId);
  if (app === undefined) throw new NotFound("app");
  return app;
}
