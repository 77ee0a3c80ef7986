import { randomUUID } from 'node:crypto';
import test from 'ava';
import { credentialContext } from '../../../actors/services/credentials/messages.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';

const secret = () => `demo-${randomUUID()}`;

/** One order to store a credential, however often it is read. */
function orderOf(desk: Awaited<ReturnType<typeof openLoanDesk>>, mustExist = false) {
  const [credential, command] = [secret(), desk.command()];
  const account = { hotkey: 'alice', provider: 'providera' } as const;
  const sealed = desk.seal.seal(credential, credentialContext(account.hotkey, account.provider));
  const ordered = () => desk.service.connect({ ...account, sealed, mustExist }, command);
  return { credential, ordered };
}

const chosen = async (sql: Sql) =>
  (await sql<{ provider: string }[]>`select provider from inference_default`)[0]?.provider;

const stored = (sql: Sql) => sql`
  select provider, credential_id, sealed, updated_at from inference_credential order by provider`;

test('a default that is read once more after a later choice undoes nothing', async (t) => {
  const { connect, choose, command, admin } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  await connect('alice', 'providerb', secret());
  const order = command();
  t.deepEqual(await choose('alice', 'providerb', order), { provider: 'providerb' });
  await choose('alice', 'providera');

  t.deepEqual(await choose('alice', 'providerb', order), { provider: 'providerb' });
  t.is(await chosen(admin), 'providera');
  await choose('alice', 'providerb');
  t.is(await chosen(admin), 'providerb', 'another order for the same is carried out');
});

test('a default that was refused is decided afresh', async (t) => {
  const { connect, choose, command, refusal, admin } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const order = command();
  t.is(await refusal(choose('alice', 'providerb', order)), 'DEFAULT_NOT_CONNECTED');
  await connect('alice', 'providerb', secret());

  t.deepEqual(await choose('alice', 'providerb', order), { provider: 'providerb' });
  t.is(await chosen(admin), 'providerb');
});

test('a credential that is read once more after its miner disconnected is not stored', async (t) => {
  const desk = await openLoanDesk(t);
  const { connect, disconnect, admin } = desk;
  const { credential, ordered } = orderOf(desk);
  t.like(await ordered(), { connected: true });
  await disconnect('alice', 'providera');

  t.deepEqual(await ordered(), { connected: false, updatedAtMs: null }, 'what is so now');
  t.is((await stored(admin)).length, 0);
  t.is(await chosen(admin), undefined);
  t.like(await connect('alice', 'providera', credential), { connected: true }, 'another order');
  t.is(await chosen(admin), 'providera');
});

test('a credential that is read once more takes the place of no later one', async (t) => {
  const desk = await openLoanDesk(t);
  const { connect, admin } = desk;
  const { ordered } = orderOf(desk);
  await ordered();
  const later = await connect('alice', 'providera', secret(), true);
  const kept = [...(await stored(admin))];

  t.deepEqual(await ordered(), later);
  t.deepEqual([...(await stored(admin))], kept);
  t.is((await admin`select from inference_past_credential`).length, 1);
});

test('a credential that was refused is decided afresh', async (t) => {
  const desk = await openLoanDesk(t);
  const { connect, refusal, admin } = desk;
  const { ordered } = orderOf(desk, true);
  t.is(await refusal(ordered()), 'NOT_CONNECTED');
  await connect('alice', 'providera', secret());
  const [before] = await stored(admin);

  await ordered();
  t.not((await stored(admin))[0]?.['credential_id'], before?.['credential_id']);
});

test('a disconnection that is read once more takes away no later credential', async (t) => {
  const { connect, disconnect, command, admin } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const order = command();
  await disconnect('alice', 'providera', order);
  await connect('alice', 'providera', secret());
  const kept = [...(await stored(admin))];

  t.like(await disconnect('alice', 'providera', order), { connected: false });
  t.deepEqual([...(await stored(admin))], kept);
  await disconnect('alice', 'providera');
  t.is((await stored(admin)).length, 0, 'another order is carried out');
});
