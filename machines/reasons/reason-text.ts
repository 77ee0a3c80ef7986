export interface ReasonText {
  /** What the code means, in one plain sentence. */
  readonly says: string;
  /** What whoever reads it can do; null where nothing is to be done. */
  readonly next: string | null;
}

/** The words of each code of one kind. Exhaustive by type: a code without words does not compile. */
export type ReasonTexts<Code extends string> = Readonly<Record<Code, ReasonText>>;
