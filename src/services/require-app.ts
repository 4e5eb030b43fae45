import type { App } from "../domain/app.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { AppStore } from "../store/ports/app-store.js";

/** Returns the app. Rejects with InvalidArgument for an empty id, with NotFound for an unknown one. */
export async function requireApp(apps: Pick<AppStore, "get">, appId: string): Promise<App> {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  const app = await apps.get(appId);
  if (app === undefined) throw new NotFound("app");
  return app;
}
