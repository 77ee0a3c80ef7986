import { randomBytes, randomUUID } from 'node:crypto';
import test from 'ava';
import { findStuck } from '../../../actors/services/stuck/find-stuck.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { until } from '../../support/until.ts';

const keyOf = (id: string) => ({ id, key: randomBytes(32) });

/** What is said of the one key that is to be ended. */
async function said(sql: Sql): Promise<readonly string[]> {
  const { records } = await findStuck(sql, 10);
  return records
    .filter(({ state }) => state === 'WITHDRAWN')
    .flatMap(({ kind, why }) => [kind, why]);
}

test('a key that no process here can open is ours to mend, until its provider is asked', async (t) => {
  const [lost, kept] = [keyOf('lost'), keyOf('kept')];
  const seal = createCredentialSeal([lost, kept]);
  const desk = await openLoanDesk(t, { seal });
  const { admin, connect, token, key, plantRun, endRun, keys, standIns } = desk;
  await connect('alice', 'providera', `demo-${randomUUID()}`);
  const run = await plantRun('alice');
  await token(run);
  await key(run, 'providera');
  standIns.providera.fail();
  const lacking = desk.another({ seal: createCredentialSeal([kept]), isRevoking: true });
  await endRun(run);
  await until(async () => (await keys()).some(({ failures }) => failures > 0));
  await lacking.revoker.stop();
  await admin`update inference_key set withdrawn_at = withdrawn_at - interval '2 minutes'`;

  t.deepEqual(await said(admin), ['inference-key', 'its sealed text does not open']);

  const [before] = await keys();
  await admin`update inference_key set next_revoke_at = rt.wall_clock()`;
  desk.another({ seal, isRevoking: true });
  await until(async () =>
    (await keys()).some(({ failures }) => failures > (before?.failures ?? 0)),
  );
  t.deepEqual(await said(admin), ['key-at-provider', 'providera has not ended it yet']);
});
