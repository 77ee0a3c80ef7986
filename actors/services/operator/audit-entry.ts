import { createHash } from 'node:crypto';

export interface AuditFacts {
  readonly actor: string;
  readonly action: string;
  readonly object: string;
  readonly reason: string | null;
  /** Never holds a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditEntry extends AuditFacts {
  readonly seq: number;
  readonly prevHash: string;
  readonly committedAtMs: number;
}

/** What the first entry names as its predecessor. */
export const genesisHash = '0'.repeat(64);

/**
 * Binds an entry to everything before it: who changes, drops or reorders an entry must change the
 * hashes of all later ones. Keys are sorted, since the database keeps no order of them.
 */
export function auditHash(entry: AuditEntry): string {
  const { seq, prevHash, committedAtMs, actor, action, object, reason, detail } = entry;
  const text = canonical([seq, prevHash, committedAtMs, actor, action, object, reason, detail]);
  return createHash('sha256').update(text).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
