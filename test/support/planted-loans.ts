import type { Transaction } from '../../infra/ports/sql.ts';

export interface Planted {
  readonly title: string;
  readonly plant: (tx: Transaction, evalRunId: string) => Promise<unknown>;
  readonly found: readonly (readonly [kind: string, why: string])[];
}

interface PlantedKey {
  /** In minutes. */
  readonly endsIn: number;
  /** In seconds, as the next. */
  readonly withdrawnAgo: number;
  readonly nextIn: number;
  /** What is sealed for it did not open when it was tried last. */
  readonly isUnopened?: boolean;
}

async function addKeys(
  tx: Transaction,
  evalRunId: string,
  keys: readonly PlantedKey[],
): Promise<void> {
  for (const { endsIn, withdrawnAgo, nextIn, isUnopened = false } of keys) {
    await tx`
      insert into inference_key (key_id, eval_run_id, miner_hotkey, provider, credential_id,
        minted_at, expires_at, withdrawn_at, next_revoke_at, unopened_at)
      values (gen_random_uuid(), ${evalRunId}, 'miner', 'providera', gen_random_uuid(),
        now() - interval '1 hour', now() + ${endsIn} * interval '1 minute',
        now() - ${withdrawnAgo} * interval '1 second', now() + ${nextIn} * interval '1 second',
        case when ${isUnopened} then now() end)`;
  }
}

/** What is stuck of what is lent to runs; to be planted beside a live run. */
export const plantedLoans: readonly Planted[] = [
  {
    title: 'an agent’s access that outlives its run, beside one that lives',
    plant: async (tx, evalRunId) => {
      await tx`
        insert into inference_token (eval_run_id, miner_hotkey, provider, token_sha256, issued_at,
          expires_at)
        values (${evalRunId}, 'miner', 'providera', 'a', now(), now() + interval '1 hour')`;
      await tx`
        insert into evaluation_run
        select (jsonb_populate_record(r, jsonb_build_object('eval_run_id', gen_random_uuid(),
          'fence', 99, 'status', 'FAILED', 'completed_at', now() - interval '3 minutes'))).*
        from evaluation_run r where eval_run_id = ${evalRunId}`;
      await tx`
        insert into inference_token (eval_run_id, miner_hotkey, provider, token_sha256, issued_at,
          expires_at)
        select eval_run_id, 'miner', 'providera', 'b', now(), now() + interval '1 hour'
        from evaluation_run where fence = 99`;
    },
    found: [['inference-token', 'its run is over and the token is not']],
  },
  {
    title: 'a key that nobody asks its provider to end, beside those with another way to end',
    plant: (tx, evalRunId) =>
      addKeys(tx, evalRunId, [
        { endsIn: 5, withdrawnAgo: 120, nextIn: -11 },
        { endsIn: -1, withdrawnAgo: 120, nextIn: -120 },
        { endsIn: 5, withdrawnAgo: 120, nextIn: 300 },
        { endsIn: 5, withdrawnAgo: 20, nextIn: 0 },
      ]),
    found: [['inference-key', 'nobody asks providera to end it']],
  },
  {
    title: 'keys that a provider is asked in vain to end, one of which waits for its turn',
    plant: (tx, evalRunId) =>
      addKeys(tx, evalRunId, [
        { endsIn: 5, withdrawnAgo: 120, nextIn: 60 },
        { endsIn: 5, withdrawnAgo: 120, nextIn: -110 },
      ]),
    found: [
      ['key-at-provider', 'providera has not ended it yet'],
      ['key-at-provider', 'providera has not ended it yet'],
    ],
  },
  {
    title: 'a key whose sealed text does not open, beside one that waits for the provider',
    plant: (tx, evalRunId) =>
      addKeys(tx, evalRunId, [
        { endsIn: 5, withdrawnAgo: 120, nextIn: 60, isUnopened: true },
        { endsIn: 5, withdrawnAgo: 120, nextIn: 60 },
        { endsIn: 5, withdrawnAgo: 20, nextIn: 60, isUnopened: true },
      ]),
    found: [
      ['inference-key', 'its sealed text does not open'],
      ['key-at-provider', 'providera has not ended it yet'],
    ],
  },
  {
    title: 'a key whose sealed text did not open, and that nobody tries any more',
    plant: (tx, evalRunId) =>
      addKeys(tx, evalRunId, [{ endsIn: 5, withdrawnAgo: 120, nextIn: -11, isUnopened: true }]),
    found: [['inference-key', 'nobody asks providera to end it']],
  },
];
