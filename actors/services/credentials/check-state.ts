/** What is noted of a credential that was shown to its provider. */
export interface CheckNote {
  /** Who shows it now: `holder` of an order. */
  readonly busyBy: string | null;
  /** The provider gave another in its place, which is stored and good. */
  readonly isStored: boolean;
  /** Its miner disconnected, or a later order took effect, and has not sent it since. */
  readonly isOvertaken: boolean;
}

/**
 * `own`: it is the turn of who asks already, and the answer that said so got lost; `again`: it was shown
 * before, and nothing that is good came of it; `first`: it was not.
 */
export type CheckState = 'own' | 'stored' | 'overtaken' | 'busy' | 'again' | 'first';

/** How an order of `holder` stands that wants the credential stored. */
export function checkState(note: CheckNote | undefined, holder: string): CheckState {
  if (note === undefined) return 'first';
  if (note.busyBy === holder) return 'own';
  if (note.isStored) return 'stored';
  if (note.isOvertaken) return 'overtaken';
  return note.busyBy === null ? 'again' : 'busy';
}
