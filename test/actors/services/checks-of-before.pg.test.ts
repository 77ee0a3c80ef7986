import test from 'ava';
import { coordinatorOfBefore } from '../../support/checks-of-before.ts';
import { openRotatingDesk, secret } from '../../support/rotating-desk.ts';
import { until } from '../../support/until.ts';

// A coordinator of before migration 0073 and one of now, side by side.

type Desk = Awaited<ReturnType<typeof openRotatingDesk>>;

const overtake = {
  disconnected: (desk: Desk) => desk.disconnect('alice', 'providera'),
  replaced: (desk: Desk) => desk.connect('alice', 'providera', secret()),
} as const;

for (const way of ['disconnected', 'replaced'] as const) {
  test(`a coordinator of before stores nothing that its miner ${way} since`, async (t) => {
    const desk = await openRotatingDesk(t);
    const before = coordinatorOfBefore(desk);
    await desk.connect('alice', 'providera', secret());
    const order = await before.begin(secret());
    t.is(order.state, 'first');
    await overtake[way](desk);
    const kept = await desk.stored();

    t.false(await before.askAndStore(order));
    t.deepEqual(await desk.stored(), kept);
  });
}

test('one that is overtaken and sent again is stored by the coordinator of before that asks', async (t) => {
  const desk = await openRotatingDesk(t);
  const { connect, providera } = desk;
  const before = coordinatorOfBefore(desk);
  await connect('alice', 'providera', secret());
  const order = await before.begin(secret());
  await overtake.disconnected(desk);
  const again = connect('alice', 'providera', order.credential);
  await until(async () => {
    const wanted = await desk.admin`
      select from inference_check where ordered_by is not null and overtaken_at is null`;
    return wanted.length === 1;
  });
  const { keysMade } = providera.counts;

  t.true(await before.askAndStore(order));
  t.like(await again, { connected: true });
  t.is(providera.counts.keysMade, keysMade + 1, 'shown once');
  t.true(await desk.isServing());
});

test('what is overtaken and sent again to a coordinator of before is stored by who hears it', async (t) => {
  const desk = await openRotatingDesk(t);
  const { connect, providera, isServing, unanswered } = desk;
  const [before, credential] = [coordinatorOfBefore(desk), secret()];
  await connect('alice', 'providera', secret());
  const late = await unanswered(() => connect('alice', 'providera', credential));
  await overtake.disconnected(desk);
  t.is((await before.begin(credential)).state, 'first');
  providera.set({});

  t.like(await late.settled, { connected: true });
  t.true(await isServing());
  t.is((await before.begin(credential)).state, 'stored');
});

test('nothing is stored that a coordinator of before was told to disconnect', async (t) => {
  const desk = await openRotatingDesk(t);
  const { connect, providera, stored, unanswered } = desk;
  const late = await unanswered(() => connect('alice', 'providera', secret()));
  await coordinatorOfBefore(desk).disconnect();
  providera.set({});

  t.like(await late.settled, { connected: false });
  t.deepEqual(await stored(), []);
});

test('nothing is stored that a coordinator of migration 0073 noted as overtaken', async (t) => {
  const { admin, connect, providera, stored, unanswered } = await openRotatingDesk(t);
  const late = await unanswered(() => connect('alice', 'providera', secret()));
  await admin`update inference_check set overtaken_at = rt.wall_clock(), credential_id = null`;
  providera.set({});

  t.like(await late.settled, { connected: false });
  t.deepEqual(await stored(), []);
});
