import { type App, LEARNED_AFTER_VISITORS, NO_PRIVACY_SETTINGS, type PrivacySettings } from "../../../domain/app.js";
import type { AlgorithmFacts, ModelManifest, ModelPointer, ModelRecord } from "../../../domain/model.js";
import type { ProductGroup } from "../../../domain/product-filter.js";
import type { CopyMark } from "../../../ports/copies.js";
import type { TimedLease } from "../lease.js";
import { flag, list, map, number, oneOf, orElse, record, text } from "../shape.js";

export const appShape = record<App>({
  appId: text,
  displayName: text,
  allowedOrigins: list(text),
  linkTrust: orElse(oneOf("open", "strict"), "open"),
  privacy: orElse(
    record<PrivacySettings>({
      signals: oneOf("off", "gpc", "gpc_and_dnt"),
      retentionDays: number,
      rejectedRetentionDays: number,
    }),
    NO_PRIVACY_SETTINGS,
  ),
  doubleOptIn: orElse(flag, false),
  learnedAfterVisitors: orElse(number, LEARNED_AFTER_VISITORS),
  groups: orElse(
    list(
      record<ProductGroup>({
        groupId: text,
        title: text,
        categoryIds: list(text),
        brands: list(text),
        tags: list(text),
        productIds: list(text),
      }),
    ),
    [],
  ),
  createdAt: number,
  updatedAt: number,
});

/** A model's record, and the file in GridFS that holds its bytes. */
export interface KeptModel {
  readonly record: ModelRecord;
  readonly fileId: string;
  readonly fileChecksum: number;
}

export const modelShape = record<KeptModel>({
  record: record<ModelRecord>({
    modelId: text,
    createdAt: number,
    trainingMs: number,
    sizeBytes: number,
    manifest: record<ModelManifest>({
      formatNumber: number,
      cutOff: number,
      seed: number,
      dataCounts: map(number),
      algorithms: list(record<AlgorithmFacts>({ name: text, included: flag, reason: text, facts: map(number) })),
    }),
    activity: text,
  }),
  fileId: text,
  fileChecksum: number,
});

/** Of a lease that does not say for how long it was given: longer than any was. */
const LEASE_MS = 60_000;

export const leaseShape = record<TimedLease>({
  holder: text,
  token: number,
  until: number,
  forMs: orElse(number, LEASE_MS),
});

export const pointerShape = record<ModelPointer>({
  modelId: text,
  version: text,
  activatedAt: number,
  usedVersions: list(text),
});

export const copyMarkShape = record<CopyMark>({
  run: text,
  from: text,
  state: oneOf("copying", "done"),
  table: text,
  upTo: text,
});
