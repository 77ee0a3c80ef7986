/** Where a row stands in the text that decides it. `decision` is our own, where the text is silent. */
export interface Place {
  readonly document: 'specification' | 'contract' | 'issue 4' | 'decision';
  /** The heading, or the number of the contract's section, and the entry below it. */
  readonly section: string;
}

export const specification = (section: string): Place => ({ document: 'specification', section });
export const contract = (section: string): Place => ({ document: 'contract', section });
export const decision = (section: string): Place => ({ document: 'decision', section });
