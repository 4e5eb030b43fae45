import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type App, bareApp, MAX_LEARNED_AFTER_VISITORS } from "../domain/app.js";
import type { Now } from "../domain/clock.js";
import { AlreadyExists, InvalidArgument, NotFound } from "../domain/errors.js";
import { DEFAULT_FRAME, DEFAULT_FRAME_ID } from "../domain/frame.js";
import { isAppId } from "../domain/ids.js";
import { type App as AppMessage, type AppSchema, LinkTrust } from "../gen/aisle/v1/app_pb.js";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import type { AppStore } from "../ports/app-store.js";
import type { FrameReporter } from "../recommend/frame-report.js";
import { guarded, type ReportInternal } from "./errors.js";
import { frameMessage, readFrame } from "./frame-messages.js";
import { daysOf, reportMessage } from "./frame-report-messages.js";
import { timestampOf } from "./messages.js";
import { checkName, ID_RULE } from "./names.js";
import { page, pageSize, readPageToken } from "./paging.js";
import { privacyMessage, readPrivacy } from "./privacy-settings.js";
import { requireApp } from "./require-app.js";

export interface AppServiceDependencies {
  readonly apps: AppStore;
  readonly now: Now;
  /** 13 hex characters. */
  readonly newAppId: () => string;
  /** Called when an app is gone, so that what is kept of it in memory goes too. */
  readonly onDeleted: (appId: string) => void;
  readonly frameReport: FrameReporter;
  readonly report: ReportInternal;
}

export function createAppService(deps: AppServiceDependencies): ServiceImpl<typeof AppService> {
  const { apps, report } = deps;
  return {
    createApp: guarded(report, async (request) => {
      const settings = readSettings(request.app);
      const appId = request.app?.appId || deps.newAppId();
      if (!isAppId(appId)) throw new InvalidArgument("app.app_id", "invalid", ID_RULE);
      const at = deps.now();
      const app: App = { ...bareApp(appId, at), ...settings };
      if (!(await apps.create(app))) throw new AlreadyExists("app", "There is an app with this id already");
      return { app: appMessage(app) };
    }),

    getApp: guarded(report, async (request) => {
      if (request.appId === "") throw new InvalidArgument("app_id", "missing");
      const app = await apps.get(request.appId);
      if (app === undefined) throw new NotFound("app");
      return { app: appMessage(app) };
    }),

    listApps: guarded(report, async (request) => {
      const size = pageSize(request.pageSize);
      const found = await apps.list(readPageToken(request.pageToken), size + 1);
      const [kept, nextPageToken] = page(found, size, (app) => app.appId);
      return { apps: kept.map(appMessage), nextPageToken };
    }),

    updateApp: guarded(report, async (request) => {
      const settings = readSettings(request.app);
      if (!request.app?.appId) throw new InvalidArgument("app.app_id", "missing");
      const before = await apps.get(request.app.appId);
      if (before === undefined) throw new NotFound("app");
      const app: App = { ...before, ...settings, updatedAt: deps.now() };
      if (!(await apps.update(app))) throw new NotFound("app");
      return { app: appMessage(app) };
    }),

    deleteApp: guarded(report, async (request) => {
      if (request.appId === "") throw new InvalidArgument("app_id", "missing");
      if (!(await apps.delete(request.appId))) throw new NotFound("app");
      deps.onDeleted(request.appId);
      return {};
    }),

    getFrameConfiguration: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const frame = await apps.getFrame(request.appId, request.frameId);
      if (frame === undefined && request.frameId !== DEFAULT_FRAME_ID) throw new NotFound("frame_configuration");
      return { frameConfiguration: frameMessage(frame ?? DEFAULT_FRAME) };
    }),

    listFrameConfigurations: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const size = pageSize(request.pageSize);
      const found = await apps.listFrames(request.appId, readPageToken(request.pageToken), size + 1);
      const [frames, nextPageToken] = page(found, size, (frame) => frame.frameId);
      const first = request.pageToken === "" && !frames.some((frame) => frame.frameId === DEFAULT_FRAME_ID);
      return { frameConfigurations: [...(first ? [DEFAULT_FRAME] : []), ...frames].map(frameMessage), nextPageToken };
    }),

    setFrameConfiguration: guarded(report, async (request) => {
      const asked = readFrame(request.frameConfiguration, deps.now());
      await requireApp(apps, request.appId);
      const frame = await apps.putFrame(request.appId, asked, request.expectedVersion);
      return { frameConfiguration: frameMessage(frame) };
    }),

    deleteFrameConfiguration: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const deleted = await apps.deleteFrame(request.appId, request.frameId, deps.now());
      if (!deleted && request.frameId !== DEFAULT_FRAME_ID) throw new NotFound("frame_configuration");
      return {};
    }),

    listFrameVersions: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      const versions = await apps.frameVersions(request.appId, request.frameId);
      const frame = versions.length > 0 ? undefined : await apps.getFrame(request.appId, request.frameId);
      if (versions.length === 0 && frame === undefined && request.frameId !== DEFAULT_FRAME_ID)
        throw new NotFound("frame_configuration");
      const all = frame === undefined ? versions : [{ frame, deleted: false }];
      return {
        versions: all.map((version) => ({
          frameConfiguration: frameMessage(version.frame),
          deleted: version.deleted,
        })),
      };
    }),

    getFrameReport: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (request.frameId === "") throw new InvalidArgument("frame_id", "missing");
      return reportMessage(await deps.frameReport(request.appId, request.frameId, daysOf(request)));
    }),
  };
}

function readSettings(
  app: AppMessage | undefined,
): Pick<App, "displayName" | "allowedOrigins"> &
  Partial<Pick<App, "linkTrust" | "privacy" | "doubleOptIn" | "learnedAfterVisitors">> {
  if (app === undefined) throw new InvalidArgument("app", "missing");
  checkName("app.display_name", app.displayName);
  for (const origin of app.allowedOrigins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin))
      throw new InvalidArgument("app.allowed_origins", "invalid", "origins such as https://shop.example");
  }
  const linkTrust = readLinkTrust(app.linkTrust);
  const { learnedAfterVisitors } = app;
  if (learnedAfterVisitors !== undefined && learnedAfterVisitors > MAX_LEARNED_AFTER_VISITORS)
    throw new InvalidArgument("app.learned_after_visitors", "invalid", `0 to ${MAX_LEARNED_AFTER_VISITORS}`);
  return {
    displayName: app.displayName,
    allowedOrigins: [...app.allowedOrigins],
    ...(linkTrust !== undefined && { linkTrust }),
    ...(app.privacy !== undefined && { privacy: readPrivacy(app.privacy) }),
    ...(app.doubleOptIn !== undefined && { doubleOptIn: app.doubleOptIn }),
    ...(learnedAfterVisitors !== undefined && { learnedAfterVisitors }),
  };
}

function readLinkTrust(said: LinkTrust): App["linkTrust"] | undefined {
  switch (said) {
    case LinkTrust.UNSPECIFIED:
      return undefined;
    case LinkTrust.OPEN:
      return "open";
    case LinkTrust.STRICT:
      return "strict";
    default:
      throw new InvalidArgument("app.link_trust", "invalid", "OPEN or STRICT");
  }
}

function appMessage(app: App): MessageInitShape<typeof AppSchema> {
  return {
    appId: app.appId,
    displayName: app.displayName,
    allowedOrigins: [...app.allowedOrigins],
    privacy: privacyMessage(app.privacy),
    createdAt: timestampOf(app.createdAt),
    updatedAt: timestampOf(app.updatedAt),
    doubleOptIn: app.doubleOptIn,
    learnedAfterVisitors: app.learnedAfterVisitors,
    linkTrust: app.linkTrust === "strict" ? LinkTrust.STRICT : LinkTrust.OPEN,
  };
}
