import { type App, LEARNED_AFTER_VISITORS, NO_PRIVACY_SETTINGS, type PrivacySettings } from "../../../domain/app.js";
import type { AlgorithmFacts, ModelManifest, ModelPointer, ModelRecord } from "../../../domain/model.js";
import type { ProductGroup } from "../../../domain/product-filter.js";
import type { CopyMark } from "../../../ports/copies.js";
import type { KeptLease } from "../../store/lease.js";
import type { Cells, RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

const LINK_TRUSTS = ["open", "strict"] as const;

export const appRecord: RecordCodec<App> = {
  toCells: ({ privacy, ...app }) => [
    app.appId,
    app.displayName,
    app.allowedOrigins,
    app.createdAt,
    app.updatedAt,
    app.linkTrust,
    [privacy.signals, privacy.retentionDays, privacy.rejectedRetentionDays],
    app.doubleOptIn,
    app.learnedAfterVisitors,
    app.groups.map((group) => [
      group.groupId,
      group.title,
      group.categoryIds,
      group.brands,
      group.tags,
      group.productIds,
    ]),
  ],
  fromCells: (cells) => ({
    appId: cell.text(cells, 0),
    displayName: cell.text(cells, 1),
    allowedOrigins: cell.texts(cells, 2),
    createdAt: cell.number(cells, 3),
    updatedAt: cell.number(cells, 4),
    linkTrust: cell.hasLater(cells, 5) ? cell.oneOf(cells, 5, LINK_TRUSTS) : "open",
    privacy: cell.hasLater(cells, 6) ? privacyFrom(cell.list(cells, 6)) : NO_PRIVACY_SETTINGS,
    doubleOptIn: cell.laterFlag(cells, 7),
    learnedAfterVisitors: cell.numberOr(cells, 8, LEARNED_AFTER_VISITORS),
    groups: cell.hasLater(cells, 9) ? cell.rows(cells, 9, groupFrom) : [],
  }),
};

function groupFrom(cells: Cells): ProductGroup {
  return {
    groupId: cell.text(cells, 0),
    title: cell.text(cells, 1),
    categoryIds: cell.texts(cells, 2),
    brands: cell.texts(cells, 3),
    tags: cell.texts(cells, 4),
    productIds: cell.texts(cells, 5),
  };
}

const SIGNALS = ["off", "gpc", "gpc_and_dnt"] as const;

function privacyFrom(cells: Cells): PrivacySettings {
  return {
    signals: cell.oneOf(cells, 0, SIGNALS),
    retentionDays: cell.number(cells, 1),
    rejectedRetentionDays: cell.number(cells, 2),
  };
}

/** A model's record and the checksum of its file. */
export interface KeptModel {
  readonly record: ModelRecord;
  readonly fileChecksum: number;
}

export const modelRecord: RecordCodec<KeptModel> = {
  toCells: ({ record, fileChecksum }) => [
    record.modelId,
    record.createdAt,
    record.trainingMs,
    record.sizeBytes,
    manifestCells(record.manifest),
    record.activity,
    fileChecksum,
  ],
  fromCells: (cells) => ({
    record: {
      modelId: cell.text(cells, 0),
      createdAt: cell.number(cells, 1),
      trainingMs: cell.number(cells, 2),
      sizeBytes: cell.number(cells, 3),
      manifest: manifestFrom(cell.list(cells, 4)),
      activity: cell.text(cells, 5),
    },
    fileChecksum: cell.number(cells, 6),
  }),
};

function manifestCells(manifest: ModelManifest): unknown[] {
  return [
    manifest.formatNumber,
    manifest.cutOff,
    manifest.seed,
    cell.fromNumberMap(manifest.dataCounts),
    manifest.algorithms.map((one) => [one.name, one.included, one.reason, cell.fromNumberMap(one.facts)]),
  ];
}

function manifestFrom(cells: Cells): ModelManifest {
  return {
    formatNumber: cell.number(cells, 0),
    cutOff: cell.number(cells, 1),
    seed: cell.number(cells, 2),
    dataCounts: cell.numberMap(cells, 3),
    algorithms: cell.rows(cells, 4, algorithmFrom),
  };
}

function algorithmFrom(cells: Cells): AlgorithmFacts {
  return {
    name: cell.text(cells, 0),
    included: cell.flag(cells, 1),
    reason: cell.text(cells, 2),
    facts: cell.numberMap(cells, 3),
  };
}

export const pointerRecord: RecordCodec<ModelPointer> = {
  toCells: (pointer) => [pointer.modelId, pointer.version, pointer.activatedAt, pointer.usedVersions],
  fromCells: (cells) => ({
    modelId: cell.text(cells, 0),
    version: cell.text(cells, 1),
    activatedAt: cell.number(cells, 2),
    usedVersions: cell.texts(cells, 3),
  }),
};

export const leaseRecord: RecordCodec<KeptLease> = {
  toCells: (lease) => [lease.holder, lease.token, lease.until],
  fromCells: (cells) => ({ holder: cell.text(cells, 0), token: cell.number(cells, 1), until: cell.number(cells, 2) }),
};

const COPY_STATES = ["copying", "done"] as const;

export const copyMarkRecord: RecordCodec<CopyMark> = {
  toCells: (mark) => [mark.run, mark.from, mark.state, mark.table, mark.upTo],
  fromCells: (cells) => ({
    run: cell.text(cells, 0),
    from: cell.text(cells, 1),
    state: cell.oneOf(cells, 2, COPY_STATES),
    table: cell.text(cells, 3),
    upTo: cell.text(cells, 4),
  }),
};

/** A record that is one text, such as the id an index leads to. */
export const textRecord: RecordCodec<string> = {
  toCells: (value) => [value],
  fromCells: (cells) => cell.text(cells, 0),
};

/** A record that is one number. */
export const numberRecord: RecordCodec<number> = {
  toCells: (value) => [value],
  fromCells: (cells) => cell.number(cells, 0),
};

/** A record that is a list of texts. */
export const textsRecord: RecordCodec<readonly string[]> = {
  toCells: (values) => [values],
  fromCells: (cells) => cell.texts(cells, 0),
};

/** Where the product log of an app stands. Its records are numbered from 1. */
export interface LogHead {
  /** Another text for each log: an app that was removed and made again has a new one. */
  readonly generation: string;
  /** Records up to this number were removed. */
  readonly cut: number;
  readonly last: number;
}

export const logHeadRecord: RecordCodec<LogHead> = {
  toCells: (head) => [head.generation, head.cut, head.last],
  fromCells: (cells) => ({
    generation: cell.text(cells, 0),
    cut: cell.number(cells, 1),
    last: cell.number(cells, 2),
  }),
};
