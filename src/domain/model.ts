/** Facts about one algorithm of a snapshot. */
export interface AlgorithmFacts {
  readonly name: string;
  readonly included: boolean;
  /** Why it was left out; "" when included. */
  readonly reason: string;
  readonly facts: Readonly<Record<string, number>>;
}

/** The manifest of a snapshot, without its arrays. Times are data (cut-off), never the wall clock of training. */
export interface ModelManifest {
  readonly formatNumber: number;
  /** Interactions up to this time were learned. */
  readonly cutOff: number;
  readonly seed: number;
  readonly dataCounts: Readonly<Record<string, number>>;
  readonly algorithms: readonly AlgorithmFacts[];
}

/** The bytes of a snapshot in pieces: Node 20 has no array of more than 4 GiB. */
export type SnapshotBytes = readonly Uint8Array[];

export function snapshotLength(bytes: SnapshotBytes): number {
  return bytes.reduce((sum, piece) => sum + piece.length, 0);
}

/**
 * Why a model was trained: a caller asked, an app had its first data, its data grew, or something changed and the model was
 * old. "": trained by an earlier version, which did not say.
 */
export const TRAINING_REASONS = ["", "requested", "first_data", "data_grew", "schedule"] as const;

export type TrainingReason = (typeof TRAINING_REASONS)[number];

/** A stored snapshot, as the model store lists it. */
export interface ModelRecord {
  readonly modelId: string;
  readonly createdAt: number;
  readonly trainingMs: number;
  readonly sizeBytes: number;
  readonly manifest: ModelManifest;
  /** The store's activity number at the training, to detect later changes. */
  readonly activity: string;
  readonly reason: TrainingReason;
}

/** The serving snapshot and its version text. A roll-back moves the pointer and gets a new text. */
export interface ModelPointer {
  readonly modelId: string;
  readonly version: string;
  readonly activatedAt: number;
  /** Every earlier version text of the app, newest last, so that none is used twice. At most the last 1,000. */
  readonly usedVersions: readonly string[];
  /** Trainings do not replace the model until it is released. */
  readonly isHeld: boolean;
}
