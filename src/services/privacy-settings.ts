import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PrivacySettings } from "../domain/app.js";
import { InvalidArgument } from "../domain/errors.js";
import {
  type PrivacySettings as PrivacySettingsMessage,
  type PrivacySettingsSchema,
  PrivacySignals,
} from "../gen/aisle/v1/app_pb.js";

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

/** Throws InvalidArgument for what cannot be. */
export function readPrivacy(message: PrivacySettingsMessage): PrivacySettings {
  const { signals, retentionDays, rejectedRetentionDays } = message;
  const days = [
    ["retention_days", retentionDays],
    ["rejected_retention_days", rejectedRetentionDays],
  ] as const;
  for (const [field, value] of days)
    if (value > MAX_DAYS) throw new InvalidArgument(`app.privacy.${field}`, "invalid", `0 to ${MAX_DAYS}`);
  // An enum is open: a later client may know more.
  if (!(signals in SIGNALS)) throw new InvalidArgument("app.privacy.signals", "invalid", "a value of PrivacySignals");
  return { signals: SIGNALS[signals], retentionDays, rejectedRetentionDays };
}

export function privacyMessage(privacy: PrivacySettings): MessageInitShape<typeof PrivacySettingsSchema> {
  return { ...privacy, signals: SIGNAL_MESSAGES[privacy.signals] };
}
