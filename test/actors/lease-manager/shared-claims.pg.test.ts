import { randomUUID } from 'node:crypto';
import test from 'ava';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

const claim = (part: number, cmd: string, evalRunId: string) => ({
  ...{
    part,
    cmd,
    eval_run_id: evalRunId,
    work_item_id: randomUUID(),
    suite_id: 1,
    slot: 0,
    fence: 1,
  },
  ...{ agent_version_id: randomUUID(), phase: 'QUALIFYING', execution_kind: 'envpack' },
  ...{ validator_hotkey: 'validator', expected_items: 1 },
  ...{ claimed_at: new Date(), lease_expires_at: new Date() },
});

// A claim whose first try is late asks another partition under the same id: both may be in one commit.
test('of one claim before two partitions in one commit only one is granted', async (t) => {
  const { sql } = await testDatabase();
  const evalRunId = randomUUID();
  const rows = [claim(1, 'same', evalRunId), claim(2, 'same', evalRunId)];

  const refused = await t.throwsAsync(
    transaction(sql, {}, async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`select rt.eval_claim_runs(null, ${JSON.stringify(rows)}::text::jsonb)`;
    }),
    { code: 'P0REJ' },
  );

  const { code, commands } = JSON.parse(String(Reflect.get(refused ?? {}, 'detail')));
  t.is(code, 'AT_CAPACITY');
  t.is(commands.length, 1);
  t.is(commands[0].cmd, 'same');
  t.true([1, 2].includes(commands[0].part));
});
