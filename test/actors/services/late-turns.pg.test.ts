import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { credentialContext } from '../../../actors/services/credentials/messages.ts';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { until } from '../../support/until.ts';

test('a credential that its holder stores after its turn is the one that is good', async (t) => {
  const { desk, slow } = await openWithLateHolder(t);
  t.is(await desk.token(await desk.plantRun('alice')), null, 'the former one is refused');
  t.is((await credentials(desk))[0]?.isRejected, true);

  slow.store.resolve();
  await slow.settled;
  t.is((await credentials(desk))[0]?.isRejected, false);
  const run = await desk.plantRun('alice');
  t.truthy(await desk.token(run));
  t.true(await desk.isGood('providera', (await desk.key(run, 'providera')).text));
  await until(async () => (await desk.keys()).filter(({ isOpen }) => isOpen).length === 1);
});

test('nor is it lost where the stored one was sealed anew meanwhile', async (t) => {
  const { desk, slow } = await openWithLateHolder(t);
  t.is(await desk.token(await desk.plantRun('alice')), null, 'the former one is refused');
  const [before] = await credentials(desk);
  const context = credentialContext('alice', 'providera');
  const resealed = desk.seal.seal(desk.seal.open(before?.sealed ?? '', context), context);
  await desk.admin`update inference_credential set sealed = ${resealed}`;

  slow.store.resolve();
  await slow.settled;

  const [after] = await credentials(desk);
  t.is(after?.isRejected, false);
  t.not(after?.sealed, resealed);
  t.truthy(await desk.token(await desk.plantRun('alice')));
});

test('who is refused by a credential that was replaced meanwhile rejects nothing', async (t) => {
  const { desk, slow } = await openWithLateHolder(t);
  const { requests } = desk.standIns.providera.counts;
  desk.standIns.providera.fail({ kind: 'hang' });
  const run = await desk.plantRun('alice');
  const token = desk.token(run);
  await until(() => desk.standIns.providera.counts.requests > requests);
  slow.store.resolve();
  await slow.settled;
  desk.standIns.providera.set({ fault: null });

  t.truthy(await token, 'refused, and no fault of the miner');
  t.is((await credentials(desk))[0]?.isRejected, false);
  t.true(await desk.isGood('providera', (await desk.key(run, 'providera')).text));
});

test('what comes after the turn takes the place of nothing newer', async (t) => {
  const { desk, slow } = await openWithLateHolder(t);
  await desk.connect('alice', 'providera', `demo-${randomUUID()}`);
  const before = await credentials(desk);
  slow.store.resolve();
  await slow.settled;
  t.deepEqual(await credentials(desk), before);
});

/** The provider has replaced alice's credential; who holds the new one stood still beyond its turn. */
async function openWithLateHolder(t: ExecutionContext) {
  const desk = await openLoanDesk(t, { isRevoking: true, mintMs: 60_000 });
  desk.standIns.providera.set({ rotates: true });
  await desk.connect('alice', 'providera', `demo-${randomUUID()}`);
  const answered = Promise.withResolvers<void>();
  const store = Promise.withResolvers<void>();
  const transactAs =
    (plain: Transact): Transact =>
    async (body) => {
      answered.resolve();
      await store.promise;
      return await plain(body);
    };
  const holder = desk.another({ transactAs, mintMs: 60_000 });
  const settled = holder.token(await desk.plantRun('alice'));
  await answered.promise;
  await desk.admin`
    update inference_credential set busy_until = rt.wall_clock() - interval '1 second'`;
  return { desk, slow: { store, settled } };
}

type Desk = Awaited<ReturnType<typeof openLoanDesk>>;

const credentials = ({ admin }: Desk) => admin<{ isRejected: boolean; sealed: string }[]>`
  select rejected_at is not null as "isRejected", sealed from inference_credential`;
