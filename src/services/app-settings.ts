import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { type App, bareApp, MAX_LEARNED_AFTER_VISITORS, type PrivacySettings } from "../domain/app.js";
import { check, checkAll, InvalidArgument } from "../domain/errors.js";
import { etagOf } from "../domain/etag.js";
import {
  type App as AppMessage,
  AppSchema,
  LinkTrust,
  type PrivacySettings as PrivacySettingsMessage,
  type PrivacySettingsSchema,
  PrivacySignals,
} from "../gen/aisle/v1/app_pb.js";
import { timestampOf } from "./common-messages.js";
import { durationOfDays, wholeDays } from "./day-durations.js";
import { unknownPath } from "./field-masks.js";
import { checkName } from "./id-rules.js";

type Settings = Pick<
  App,
  "displayName" | "allowedOrigins" | "linkTrust" | "privacy" | "doubleOptIn" | "learnedAfterVisitors"
>;

/** A change of an app's settings. */
type Change = (before: Settings, asked: AppMessage, defaults: Settings) => Partial<Settings>;

/** The change of each field of an update mask. */
const CHANGES: Readonly<Record<string, Change>> = {
  display_name: (_, { displayName }) => ({ displayName }),
  allowed_origins: (_, { allowedOrigins }) => ({ allowedOrigins: [...allowedOrigins] }),
  link_trust: (_, { linkTrust }, defaults) => ({ linkTrust: readLinkTrust(linkTrust) ?? defaults.linkTrust }),
  double_opt_in: (_, { doubleOptIn }, defaults) => ({ doubleOptIn: doubleOptIn ?? defaults.doubleOptIn }),
  learned_after_visitors: (_, { learnedAfterVisitors }, defaults) => ({
    learnedAfterVisitors: learnedAfterVisitors ?? defaults.learnedAfterVisitors,
  }),
  privacy: (_, asked, defaults) => ({ privacy: privacyOf(asked, defaults) }),
  "privacy.signals": ({ privacy }, asked, defaults) => ({
    privacy: { ...privacy, signals: privacyOf(asked, defaults).signals },
  }),
  "privacy.retention": ({ privacy }, asked, defaults) => ({
    privacy: { ...privacy, retentionDays: privacyOf(asked, defaults).retentionDays },
  }),
  "privacy.rejected_retention": ({ privacy }, asked, defaults) => ({
    privacy: { ...privacy, rejectedRetentionDays: privacyOf(asked, defaults).rejectedRetentionDays },
  }),
};

const ALL_FIELDS = Object.keys(CHANGES).filter((path) => !path.includes("."));

/** The app as a caller wrote it, with defaults for what is not set. Throws InvalidArgument that names the field. */
export function newApp(asked: AppMessage | undefined, appId: string, at: number): App {
  return settingsUpdate(asked, undefined)(bareApp(appId, at));
}

/**
 * Reads an update: returns the function that applies it to an app. Throws InvalidArgument that names the field. Without
 * a mask it changes the fields that are set, as in AIP-134.
 */
export function settingsUpdate(asked: AppMessage | undefined, mask: FieldMask | undefined): (before: App) => App {
  if (asked === undefined) throw new InvalidArgument("app", "missing");
  checkSettings(asked);
  const changes = pathsOf(asked, mask).map((path) => {
    const change = Object.hasOwn(CHANGES, path) ? CHANGES[path] : undefined;
    if (change === undefined) throw unknownPath(path, Object.keys(CHANGES));
    return change;
  });
  return (before) => {
    const defaults = bareApp(before.appId, before.createdAt);
    let app = before;
    for (const change of changes) app = { ...app, ...change(app, asked, defaults) };
    return app;
  };
}

function pathsOf(asked: AppMessage, mask: FieldMask | undefined): readonly string[] {
  if (mask === undefined || mask.paths.length === 0) return setFields(asked);
  return mask.paths.includes("*") ? ALL_FIELDS : mask.paths;
}

function setFields(asked: AppMessage): readonly string[] {
  const isSet: Readonly<Record<string, boolean>> = {
    display_name: asked.displayName !== "",
    allowed_origins: asked.allowedOrigins.length > 0,
    link_trust: asked.linkTrust !== LinkTrust.UNSPECIFIED,
    double_opt_in: asked.doubleOptIn !== undefined,
    learned_after_visitors: asked.learnedAfterVisitors !== undefined,
    "privacy.signals": (asked.privacy?.signals ?? PrivacySignals.UNSPECIFIED) !== PrivacySignals.UNSPECIFIED,
    "privacy.retention": asked.privacy?.retention !== undefined,
    "privacy.rejected_retention": asked.privacy?.rejectedRetention !== undefined,
  };
  return Object.keys(CHANGES).filter((path) => isSet[path]);
}

function checkSettings(asked: AppMessage): void {
  const { privacy } = asked;
  const { learnedAfterVisitors: visitors = 0 } = asked;
  const isAllowed = visitors >= 0 && visitors <= MAX_LEARNED_AFTER_VISITORS;
  checkAll(
    () => checkName("app.display_name", asked.displayName),
    check(
      asked.allowedOrigins.every(isOrigin),
      "app.allowed_origins",
      "invalid",
      "origins such as https://shop.example",
    ),
    () => void readLinkTrust(asked.linkTrust),
    () => void (privacy && readPrivacy(privacy)),
    check(isAllowed, "app.learned_after_visitors", "invalid", `0 to ${MAX_LEARNED_AFTER_VISITORS}`),
  );
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}

function privacyOf(asked: AppMessage, defaults: Settings): App["privacy"] {
  return asked.privacy === undefined ? defaults.privacy : readPrivacy(asked.privacy);
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

export function appMessage(app: App): MessageInitShape<typeof AppSchema> {
  return { ...contentOf(app), updateTime: timestampOf(app.updatedAt), etag: appEtag(app) };
}

/** The etag of the settings. Product groups have their own. */
export function appEtag(app: App): string {
  const bytes = toBinary(AppSchema, create(AppSchema, contentOf(app)));
  return etagOf([Buffer.from(bytes).toString("base64")]);
}

function contentOf(app: App): MessageInitShape<typeof AppSchema> {
  return {
    appId: app.appId,
    displayName: app.displayName,
    allowedOrigins: [...app.allowedOrigins],
    privacy: privacyMessage(app.privacy),
    createTime: timestampOf(app.createdAt),
    doubleOptIn: app.doubleOptIn,
    learnedAfterVisitors: app.learnedAfterVisitors,
    linkTrust: app.linkTrust === "strict" ? LinkTrust.STRICT : LinkTrust.OPEN,
  };
}

/** Some 100 years. */
const MAX_DAYS = 36_500;

const SIGNALS = {
  [PrivacySignals.UNSPECIFIED]: "off",
  [PrivacySignals.OFF]: "off",
  [PrivacySignals.GPC]: "gpc",
  [PrivacySignals.GPC_AND_DNT]: "gpc_and_dnt",
} as const satisfies Record<PrivacySignals, PrivacySettings["signals"]>;

const SIGNAL_MESSAGES = {
  off: PrivacySignals.OFF,
  gpc: PrivacySignals.GPC,
  gpc_and_dnt: PrivacySignals.GPC_AND_DNT,
} as const satisfies Record<PrivacySettings["signals"], PrivacySignals>;

/** Throws InvalidArgument for an invalid value. */
function readPrivacy(message: PrivacySettingsMessage): PrivacySettings {
  const { signals } = message;
  const retentionDays = () => wholeDays("app.privacy.retention", message.retention, 0, MAX_DAYS);
  const rejectedRetentionDays = () =>
    wholeDays("app.privacy.rejected_retention", message.rejectedRetention, 0, MAX_DAYS);
  checkAll(
    () => void retentionDays(),
    () => void rejectedRetentionDays(),
    // An enum is open: a newer client may send an unknown value.
    check(signals in SIGNALS, "app.privacy.signals", "invalid", "a value of PrivacySignals"),
  );
  return { signals: SIGNALS[signals], retentionDays: retentionDays(), rejectedRetentionDays: rejectedRetentionDays() };
}

function privacyMessage(privacy: PrivacySettings): MessageInitShape<typeof PrivacySettingsSchema> {
  const retention = (days: number) => (days === 0 ? undefined : durationOfDays(days));
  return {
    signals: SIGNAL_MESSAGES[privacy.signals],
    retention: retention(privacy.retentionDays),
    rejectedRetention: retention(privacy.rejectedRetentionDays),
  };
}
