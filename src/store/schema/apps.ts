import { type App, LEARNED_AFTER_VISITORS, NO_PRIVACY_SETTINGS, type PrivacySettings } from "../../domain/app.js";
import {
  type AlgorithmFacts,
  type ModelManifest,
  type ModelPointer,
  type ModelRecord,
  TRAINING_REASONS,
  type TrainingReason,
} from "../../domain/model.js";
import { OPERATION_KINDS, OPERATION_STATES, type Operation, type OperationFault } from "../../domain/operation.js";
import type { ProductGroup } from "../../domain/product-filter.js";
import type { CopyMark } from "../ports/copies.js";
import type { StoredLease } from "../stored-lease.js";
import { flag, type Kind, later, list, map, number, oneOf, orNull, record, text, time } from "./kinds.js";

const privacy = record<PrivacySettings>({
  signals: oneOf("off", "gpc", "gpc_and_dnt"),
  retentionDays: number,
  rejectedRetentionDays: number,
});

const productGroup = record<ProductGroup>({
  groupId: text,
  title: text,
  categoryIds: list(text),
  brands: list(text),
  tags: list(text),
  productIds: list(text),
});

export const app = record<App>({
  appId: text,
  displayName: text,
  allowedOrigins: list(text),
  createdAt: time,
  updatedAt: time,
  linkTrust: later(oneOf("open", "strict"), "open"),
  privacy: later(privacy, NO_PRIVACY_SETTINGS),
  doubleOptIn: later(flag, false),
  learnedAfterVisitors: later(number, LEARNED_AFTER_VISITORS),
  groups: later(list(productGroup), []),
  contactKeyRules: later(number, 1),
});

const manifest = record<ModelManifest>({
  formatNumber: number,
  cutOff: time,
  seed: number,
  dataCounts: map(number),
  algorithms: list(record<AlgorithmFacts>({ name: text, included: flag, reason: text, facts: map(number) })),
});

export const model = record<Omit<ModelRecord, "reason">>({
  modelId: text,
  createdAt: time,
  trainingMs: number,
  sizeBytes: number,
  manifest,
  activity: text,
});

/** Beside the model: the embedded store keeps other cells behind those of the model. */
export const trainingReason: Kind<TrainingReason> = later(oneOf(...TRAINING_REASONS), "");

export const modelPointer = record<ModelPointer>({
  modelId: text,
  version: text,
  activatedAt: time,
  usedVersions: list(text),
  isHeld: later(flag, false),
});

export const operation = record<Operation>({
  operationId: text,
  kind: oneOf(...OPERATION_KINDS),
  state: oneOf(...OPERATION_STATES),
  createdAt: time,
  startedAt: time,
  endedAt: time,
  workedAt: time,
  stage: text,
  share: number,
  isCancelled: flag,
  result: text,
  fault: orNull(record<OperationFault>({ code: number, message: text, reason: text })),
});

/** Of a lease that does not say for how long it was given: longer than any was. */
const LEASE_MS = 60_000;

export const lease = record<StoredLease>({ holder: text, token: number, until: time, forMs: later(number, LEASE_MS) });

export const copyMark = record<CopyMark>({
  run: text,
  from: text,
  state: oneOf("copying", "done"),
  table: text,
  upTo: text,
});
