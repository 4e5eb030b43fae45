import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { CatalogViews } from "../catalog/catalog-view.js";
import type { App } from "../domain/app.js";
import { AlreadyExists, check, checkAll, InvalidArgument, NotFound } from "../domain/errors.js";
import { checkEtag } from "../domain/etag.js";
import { DEFAULT_FRAME, DEFAULT_FRAME_ID, type FrameConfiguration } from "../domain/frame.js";
import { isAppId } from "../domain/ids.js";
import { AppSchema } from "../gen/aisle/v1/app_pb.js";
import { AppService, type CreateAppResponse, type DeleteAppResponse } from "../gen/aisle/v1/app_service_pb.js";
import { FrameConfigurationSchema, FrameVersionSchema } from "../gen/aisle/v1/frame_configuration_pb.js";
import type { SignedEvents } from "../intake/signed-events.js";
import type { FrameReporter } from "../results/frame-report.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import { CALLER } from "./access/authorization.js";
import { appEtag, appMessage, newApp, settingsUpdate } from "./app-settings.js";
import { guarded, guardedStream, type ReportInternal } from "./errors/errors.js";
import { type ExportDependencies, exportApp } from "./export-app.js";
import { frameEtag, frameMessage, readFrame } from "./frame-messages.js";
import { frameProductCheck } from "./frame-products.js";
import { daysOf, reportMessage } from "./frame-report-messages.js";
import { ID_RULE } from "./id-rules.js";
import { onceForInstallation } from "./installation-changes.js";
import type { Mutation } from "./mutations.js";
import { inMemory, numberKey, readPage } from "./paging.js";
import { requireApp } from "./require-app.js";
import { signingSecretHandlers } from "./signing-secret-handlers.js";

export interface AppServiceDependencies extends ExportDependencies {
  readonly apps: AppStore;
  /** Transactions that write apps and frames. */
  readonly changes: Pick<UnitOfWork, "run">;
  /** Returns 13 random hex characters. */
  readonly newAppId: () => string;
  /** Called after an app was deleted, so that its cached data is dropped. */
  readonly onDeleted: (appId: string) => void;
  readonly frameReport: FrameReporter;
  readonly catalogs: Pick<CatalogViews, "of">;
  readonly signedEvents: SignedEvents;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

export function createAppService(deps: AppServiceDependencies): ServiceImpl<typeof AppService> {
  const { apps, changes, mutation, report } = deps;
  return {
    createApp: mutation(AppService.method.createApp, async (request, once) => {
      const appId = request.app?.appId || deps.newAppId();
      checkAll(check(isAppId(appId), "app.app_id", "invalid", ID_RULE), () => void newApp(request.app, appId, 0));
      const app = newApp(request.app, appId, deps.now());
      const { repeatable } = once;
      if (request.validateOnly) {
        if ((await apps.get(appId)) !== undefined) throw appExists();
        return { app: appMessage({ ...app, appId: request.app?.appId ?? "" }) };
      }
      return onceForInstallation<CreateAppResponse>(changes, once, appId, async (planned) => {
        const made = { ...app, appId: planned };
        const answer = { app: appMessage(made) };
        const claim = repeatable && { key: repeatable.key, claim: repeatable.claim(planned, answer) };
        if (await apps.create(made, claim)) return answer;
        const kept = repeatable && (await changes.run(planned, (tx) => repeatable.keptIn(tx)));
        if (kept === undefined) throw appExists();
        return repeatable?.open(planned, kept) ?? answer;
      });
    }),

    getApp: guarded(report, async (request) => {
      if (request.appId === "") throw new InvalidArgument("app_id", "missing");
      const app = await apps.get(request.appId);
      if (app === undefined) throw new NotFound("app");
      return { app: appMessage(app) };
    }),

    listApps: guarded(report, async (request, { values }: HandlerContext) => {
      const bound = values.get(CALLER).token?.apps;
      const keyOf = ({ appId }: App) => appId;
      const { items, nextPageToken } = await readPage(AppService.method.listApps, request, {
        schema: AppSchema,
        ...(bound === undefined ? { read: apps.list, keyOf } : inMemory(await appsOf(apps, bound), keyOf)),
        message: appMessage,
      });
      return { apps: items, nextPageToken };
    }),

    updateApp: mutation(AppService.method.updateApp, async (request, once) => {
      const appId = request.app?.appId ?? "";
      const hasId = request.app === undefined || appId !== "";
      const read = () => settingsUpdate(request.app, request.updateMask);
      checkAll(() => void read(), check(hasId, "app.app_id", "missing"));
      const update = read();
      const answer = (app: App) => ({ app: appMessage(app) });
      return once.change(answer, (change) =>
        change(appId, (tx) => {
          const before = tx.app();
          if (before === undefined) throw new NotFound("app");
          checkEtag(request.etag, appEtag(before));
          const app = { ...update(before), updatedAt: deps.now() };
          tx.putApp(app);
          return app;
        }),
      );
    }),

    deleteApp: mutation(AppService.method.deleteApp, async (request, once) => {
      const { appId } = request;
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      if (request.validateOnly) {
        checkEtag(request.etag, appEtag(await requireApp(apps, appId)));
        return {};
      }
      // A retry must not delete a later app of the same id.
      const createdAt = isAppId(appId) ? await changes.run(appId, (tx) => tx.app()?.createdAt) : undefined;
      return onceForInstallation<DeleteAppResponse>(changes, once, `${createdAt ?? ""}`, async (planned) => {
        if (planned === "") throw new NotFound("app");
        const check = (app: App) => {
          if (`${app.createdAt}` !== planned) throw new NotFound("app");
          checkEtag(request.etag, appEtag(app));
        };
        try {
          if (!(await apps.delete(appId, check)) && once.repeatable === undefined) throw new NotFound("app");
        } catch (error) {
          if (!(error instanceof NotFound) || once.repeatable === undefined) throw error; // else an earlier try has done it
        }
        deps.onDeleted(appId);
        return {};
      });
    }),

    exportApp: guardedStream(report, (request, context: HandlerContext) => exportApp(deps, request, context)),

    getFrameConfiguration: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const frame = await apps.getFrame(request.appId, request.frameId);
      if (frame === undefined && request.frameId !== DEFAULT_FRAME_ID) throw new NotFound("frame_configuration");
      return { frameConfiguration: frameMessage(frame ?? DEFAULT_FRAME) };
    }),

    listFrameConfigurations: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      const { items, nextPageToken } = await readPage(AppService.method.listFrameConfigurations, request, {
        schema: FrameConfigurationSchema,
        read: (after, limit) => defaultFirst(apps, appId, after, limit),
        keyOf: ({ frameId }) => (frameId === DEFAULT_FRAME_ID ? BEFORE_ALL : frameId),
        message: frameMessage,
      });
      return { frameConfigurations: items, nextPageToken };
    }),

    setFrameConfiguration: mutation(AppService.method.setFrameConfiguration, async (request, once) => {
      checkAll(check(request.appId !== "", "app_id", "missing"), () => void readFrame(request.frameConfiguration, 0));
      const asked = readFrame(request.frameConfiguration, deps.now());
      await requireApp(apps, request.appId);
      const checkProducts = await frameProductCheck(deps.catalogs, request.appId, asked);
      const answer = (frame: FrameConfiguration) => ({ frameConfiguration: frameMessage(frame) });
      return once.change(answer, (change) =>
        change(request.appId, (tx) => {
          if (tx.app() === undefined) throw new NotFound("app");
          checkEtag(request.etag, frameEtag(tx.frames.get(asked.frameId)));
          checkProducts(tx);
          return tx.frames.write(asked);
        }),
      );
    }),

    deleteFrameConfiguration: mutation(AppService.method.deleteFrameConfiguration, async (request, once) => {
      checkAll(check(request.appId !== "", "app_id", "missing"), check(request.frameId !== "", "frame_id", "missing"));
      const answer = (isDeleted: boolean) => {
        if (!isDeleted && request.frameId !== DEFAULT_FRAME_ID) throw new NotFound("frame_configuration");
        return {};
      };
      return once.change(answer, (change) =>
        change(request.appId, (tx) => {
          if (tx.app() === undefined) throw new NotFound("app");
          checkEtag(request.etag, frameEtag(tx.frames.get(request.frameId)));
          return tx.frames.delete(request.frameId, deps.now());
        }),
      );
    }),

    listFrameVersions: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const versions = await apps.frameVersions(request.appId, request.frameId);
      const frame = versions.length > 0 ? undefined : await apps.getFrame(request.appId, request.frameId);
      if (versions.length === 0 && frame === undefined && request.frameId !== DEFAULT_FRAME_ID)
        throw new NotFound("frame_configuration");
      const all = frame === undefined ? versions : [{ frame, deleted: false }];
      const { items, nextPageToken } = await readPage(AppService.method.listFrameVersions, request, {
        schema: FrameVersionSchema,
        ...inMemory(all, (version) => numberKey(version.frame.version), true),
        message: (version) => ({ frameConfiguration: frameMessage(version.frame), deleted: version.deleted }),
      });
      return { versions: items, nextPageToken };
    }),

    ...signingSecretHandlers(deps),

    getFrameReport: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      return reportMessage(await deps.frameReport(request.appId, request.frameId, daysOf(request)));
    }),
  };
}

async function appsOf(apps: AppStore, appIds: Iterable<string>): Promise<App[]> {
  const found = await Promise.all([...appIds].map((appId) => apps.get(appId)));
  return found.filter((app) => app !== undefined);
}

/** The key of the default frame in lists. It sorts before all ids. */
const BEFORE_ALL = " ";

/** Frames with the default one first, also when it was never written. */
async function defaultFirst(apps: AppStore, appId: string, after: string, limit: number) {
  const first = after === "" ? [(await apps.getFrame(appId, DEFAULT_FRAME_ID)) ?? DEFAULT_FRAME] : [];
  const others: FrameConfiguration[] = [];
  for (let from = after || BEFORE_ALL; first.length + others.length < limit; ) {
    const wanted = limit - first.length - others.length;
    const found = await apps.listFrames(appId, from, wanted);
    others.push(...found.filter(({ frameId }) => frameId !== DEFAULT_FRAME_ID));
    from = found.at(-1)?.frameId ?? from;
    if (found.length < wanted) break;
  }
  return [...first, ...others];
}

function appExists(): AlreadyExists {
  return new AlreadyExists("app", "An app with this id already exists");
}
