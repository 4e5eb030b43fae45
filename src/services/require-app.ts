import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { AppStore } from "../ports/app-store.js";

/** Resolves when the app exists; else rejects with InvalidArgument (none named) or NotFound. */
export async function requireApp(apps: Pick<AppStore, "get">, appId: string): Promise<void> {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  if ((await apps.get(appId)) === undefined) throw new NotFound("app");
}
