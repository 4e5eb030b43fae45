/** A text model outside of Aisle: a file or a service of the operator. */
export interface TextEmbedder {
  /** Identifies a model and its settings: vectors with different names lie in different spaces. Contains no secret. */
  readonly name: string;
  /**
   * Returns a vector for each text, in their order, of any length above 0 and not normalised. Rejects with Unavailable,
   * whose message is for the operator: it quotes neither texts nor keys.
   */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}
