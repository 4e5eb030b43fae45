/** A text model that is not Aisle's own: a file or a service of the operator. */
export interface TextEmbedder {
  /** Tells models and their settings apart: vectors under different names lie in different spaces. Holds no secret. */
  readonly name: string;
  /**
   * A vector for each text, in their order, of any length above 0 and not normalised. Rejects with Unavailable, whose
   * message is for the operator: it quotes neither texts nor keys.
   */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}
