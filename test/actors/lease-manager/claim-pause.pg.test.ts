import test from 'ava';
import { claimView } from '../../../actors/lease-manager/reads.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

type Phase = 'QUALIFYING' | 'RACE';

interface Tried {
  readonly phase?: Phase;
  /** How each run of val-a ended. */
  readonly runs: number;
  readonly status?: string;
  readonly endReason?: string;
  readonly exclusionReason?: string;
  readonly failureClass?: string;
  /** Of work that judges a run of val-z again. */
  readonly isJudging?: boolean;
  /** Since the last of them ended; the others ended an hour before it. */
  readonly secondsAgo: number;
}

const workItemId = '00000001-0000-4000-8000-000000000000';
const judgedId = '00000002-0000-4000-8000-000000000000';

async function plant(sql: Sql, tried: Tried): Promise<void> {
  const { isJudging = false, phase = 'QUALIFYING', runs, status = 'FAILED', secondsAgo } = tried;
  const { endReason = null, exclusionReason = null, failureClass = null } = tried;
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
        state, required_successes, next_fence, queued_at, queue_order_at, rejudging_id,
        judged_run_id)
      values (${workItemId}, 1, gen_random_uuid(), 'miner', 1, ${phase}, 'OPEN', 3, ${runs + 1},
        rt.clock(), rt.clock(), ${isJudging ? workItemId : null}, ${isJudging ? judgedId : null})`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, claimed_at, lease_expires_at,
        completed_at, expected_items)
      values (${judgedId}, 1, gen_random_uuid(), gen_random_uuid(), 1, ${phase}, 'envpack', 'val-z', 0,
        1, 'SUCCESS', rt.clock(), rt.clock(), rt.clock(), 30)`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, end_reason, exclusion_reason,
        failure_class, claimed_at, lease_expires_at, completed_at, expected_items)
      select gen_random_uuid(), 1, ${workItemId}, gen_random_uuid(), 1, ${phase}, 'envpack', 'val-a',
        0, n, ${status}, ${endReason}, ${exclusionReason}, ${failureClass}, ended.at, ended.at,
        ended.at, 30
      from generate_series(1, ${runs}) n
      cross join lateral (
        select rt.clock() - ${secondsAgo} * interval '1 second'
          - case n when 1 then interval '0' else interval '1 hour' end as at) ended`;
  });
}

async function isOffered(sql: Sql, validatorHotkey = 'val-a'): Promise<boolean> {
  const claimer = { validatorHotkey, validatorColdkey: null, slots: 1, limit: 6 };
  return (await claimView(sql, claimer)).candidates.length > 0;
}

const provider = { failureClass: 'PROVIDER' };
const ofJudging = { ...provider, phase: 'RACE', isJudging: true } as const;
const cases: readonly [string, Tried, boolean][] = [
  ['two runs in vain', { ...provider, runs: 2, secondsAgo: 0 }, true],
  ['the third run in vain', { ...provider, runs: 3, secondsAgo: 55 }, false],
  ['the third and a minute', { ...provider, runs: 3, secondsAgo: 60 }, true],
  ['the fourth and a minute', { ...provider, runs: 4, secondsAgo: 60 }, false],
  ['the fourth and two minutes', { ...provider, runs: 4, secondsAgo: 120 }, true],
  ['the thirteenth and 17 hours', { ...provider, runs: 13, secondsAgo: 61_200 }, false],
  ['the thirteenth and 1,024 minutes', { ...provider, runs: 13, secondsAgo: 61_440 }, true],
  ['thirty and half a day', { ...provider, runs: 30, secondsAgo: 43_200 }, false],
  ['thirty and a day', { ...provider, runs: 30, secondsAgo: 86_400 }, true],
  ['three of a race', { phase: 'RACE', runs: 3, secondsAgo: 55 }, false],
  ['a hundred of a race and a minute', { phase: 'RACE', runs: 100, secondsAgo: 60 }, true],
  // The race of what is judged again is over, and nothing else ends it.
  ['twenty that judge a race’s run', { ...ofJudging, runs: 20, secondsAgo: 43_200 }, false],
  [
    'twenty that judge a race’s run and a day',
    { ...ofJudging, runs: 20, secondsAgo: 86_400 },
    true,
  ],
  ['three without a class', { runs: 3, secondsAgo: 0 }, false],
  ['three time-outs', { runs: 3, status: 'TIMED_OUT', secondsAgo: 0 }, false],
  [
    'three that scored a part',
    { runs: 3, status: 'SUCCESS', exclusionReason: 'INCOMPLETE', secondsAgo: 0 },
    false,
  ],
  // Offered again at once, says the contract.
  [
    'four that it gave back',
    { runs: 4, status: 'CANCELLED', endReason: 'RELEASED', secondsAgo: 0 },
    true,
  ],
  // These count towards the hold that the law knows.
  ['four that fell silent', { runs: 4, status: 'STALE', secondsAgo: 0 }, true],
  ['four of the platform', { runs: 4, failureClass: 'PLATFORM', secondsAgo: 0 }, true],
];

for (const [after, tried, expected] of cases) {
  test(`a validator is ${expected ? '' : 'not '}offered the same work after ${after}`, async (t) => {
    const { sql } = await testDatabase();
    await plant(sql, tried);

    t.is(await isOffered(sql), expected);
    t.true(await isOffered(sql, 'val-b'));
  });
}
