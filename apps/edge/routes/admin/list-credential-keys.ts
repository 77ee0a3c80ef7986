import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { type CredentialKeyRow, credentialKeysInUse } from '../../reads/credential-keys.ts';
import { formatInstantOrNull, instant } from '../../wire/instant.ts';

const count = z.number().int();

const credentialKey = z
  .object({
    /** Empty for texts that name no key at all. */
    key_id: z.string(),
    /** Whether the ring of the edge that answers holds it. */
    is_known: z.boolean(),
    /** Whether it comes first there. */
    is_sealing: z.boolean(),
    text_count: count,
    /** By table and column. */
    texts: z.record(z.string(), count),
    first_sealed_at: instant.nullable(),
    last_sealed_at: instant.nullable(),
    /** When a coordinator last met a text of it. */
    last_seen_at: instant.nullable(),
    can_be_removed: z.boolean(),
  })
  .meta({ id: 'CredentialKey' });

export const listCredentialKeys = endpoint({
  method: 'get',
  path: '/v1/admin/credential-keys',
  role: 'operator',
  summary: 'How many secrets rest under each key of the ring, and which key may go',
  trafficClass: 1,
  response: z.object({ keys: z.array(credentialKey) }),
  faults: ['STORE_UNAVAILABLE'],

  async handle(_request, { sql, config }) {
    const ring = config.credentialKeys.map(({ id }) => id);
    const inUse = await credentialKeysInUse(sql);
    const used = new Set(inUse.map(({ keyId }) => keyId));
    const rows = [...inUse, ...ring.filter((id) => !used.has(id)).map(neverUsed)];
    return { keys: rows.map((row) => toKey(row, ring)) };
  },
});

function toKey(row: CredentialKeyRow, ring: readonly string[]): z.infer<typeof credentialKey> {
  const isSealing = ring[0] === row.keyId;
  return {
    key_id: row.keyId,
    is_known: ring.includes(row.keyId),
    is_sealing: isSealing,
    text_count: row.textCount,
    texts: row.texts,
    first_sealed_at: formatInstantOrNull(row.firstSealedAt),
    last_sealed_at: formatInstantOrNull(row.lastSealedAt),
    last_seen_at: formatInstantOrNull(row.lastSeenAt),
    can_be_removed: row.isQuiet && !isSealing,
  };
}

/** Of a ring that has just got it. */
function neverUsed(keyId: string): CredentialKeyRow {
  const never = { firstSealedAt: null, lastSealedAt: null, lastSeenAt: null };
  return { keyId, texts: {}, textCount: 0, ...never, isQuiet: true };
}
