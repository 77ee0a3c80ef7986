import {
  type AuditEntry,
  auditHash,
  genesisHash,
} from '../../../actors/services/operator/audit-entry.ts';

/** An entry as it stands somewhere, with the hash that stands beside it. */
export interface AuditRow extends AuditEntry {
  readonly hash: string;
}

/** Where a chain ends; kept elsewhere, it tells later whether all up to it is still there. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** The first entry that is not as it was written, and what must have happened to it. */
export interface AuditFlaw {
  readonly seq: number;
  readonly kind: 'changed' | 'missing' | 'moved' | 'replaced' | 'cut' | 'rewritten';
  readonly text: string;
}

/** Entries before and after a number among which a moved one is looked for. */
const movedByMax = 1_000;

/** Follows a log from its beginning, entry by entry; holds no more than where it is. */
export class AuditChain {
  readonly #expected: AuditHead | undefined;
  #head: AuditHead = { seq: 0, hash: genesisHash };

  constructor(expected?: AuditHead) {
    this.#expected = expected;
  }

  get head(): AuditHead {
    return this.#head;
  }

  /** The next entry in the order of their numbers; undefined when it is what follows. */
  follow(row: AuditRow): AuditFlaw | undefined {
    const { seq, hash } = row;
    const due = this.#head.seq + 1;
    // Its own words first: an entry that was put under another number tells more than a gap.
    if (auditHash(row) !== hash) return changedOrMoved(row);
    if (seq > due) {
      const last = seq - 1 === due ? '' : ` to ${seq - 1}`;
      return { seq: due, kind: 'missing', text: `entry ${due}${last} is missing` };
    }
    if (seq < due) return { seq, kind: 'moved', text: `entry ${seq} stands where none may stand` };
    if (row.prevHash !== this.#head.hash) return this.#replaced(row);
    this.#head = { seq, hash };
    const expected = this.#expected;
    if (expected === undefined || expected.seq !== seq || expected.hash === hash) return undefined;
    const text = `entry ${seq} has not the hash that was expected: it, or entries before it, were written anew`;
    return { seq, kind: 'rewritten', text };
  }

  /** After the last entry: whether all that was expected has come. */
  end(): AuditFlaw | undefined {
    const expected = this.#expected;
    const { seq } = this.#head;
    if (expected === undefined || expected.seq <= seq) return undefined;
    const text = `the log ends with entry ${seq}, and had ${expected.seq}: its end was cut off`;
    return { seq: seq + 1, kind: 'cut', text };
  }

  #replaced({ seq, prevHash }: AuditRow): AuditFlaw {
    const before = seq - 1;
    if (before === 0) {
      const text = `entry 1 follows ${prevHash}, so there was one before it`;
      return { seq: 1, kind: 'missing', text };
    }
    const text = `entry ${before} was replaced: entry ${seq} follows one with the hash ${prevHash}`;
    return { seq: before, kind: 'replaced', text };
  }
}

/** What gives its hash under another number was written under that one. */
function changedOrMoved(row: AuditRow): AuditFlaw {
  const { seq } = row;
  for (let by = 1; by <= movedByMax; by++) {
    for (const written of [seq - by, seq + by]) {
      if (auditHash({ ...row, seq: written }) !== row.hash) continue;
      const text = `entry ${seq} was written as entry ${written}: entries were put in, taken out or exchanged`;
      return { seq, kind: 'moved', text };
    }
  }
  return { seq, kind: 'changed', text: `entry ${seq} was changed: its words do not give its hash` };
}
