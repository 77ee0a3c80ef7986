import test from 'ava';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { openRotatingDesk, secret, standstill } from '../../support/rotating-desk.ts';
import { until } from '../../support/until.ts';

type Desk = Awaited<ReturnType<typeof openRotatingDesk>>;

for (const since of ['disconnected', 'replaced', 'sent the first one again'] as const) {
  test(`what a provider says too late undoes nothing that its miner ${since} since`, async (t) => {
    const { connect, disconnect, providera, stored, unanswered } = await openRotatingDesk(t);
    const first = secret();
    await connect('alice', 'providera', first);
    const late = await unanswered(() => connect('alice', 'providera', secret(), true));
    const now =
      since === 'disconnected'
        ? await disconnect('alice', 'providera')
        : await connect('alice', 'providera', since === 'replaced' ? secret() : first);
    const kept = await stored();
    providera.set({});

    t.deepEqual(await late.settled, now);
    t.deepEqual(await stored(), kept);
  });
}

// Told that there is nothing, its miner would not look again, and have it spent from.
test('what is not stored yet is not stored any more once its miner disconnected', async (t) => {
  const { connect, disconnect, refusal, providera, stored, unanswered } = await openRotatingDesk(t);
  const late = await unanswered(() => connect('alice', 'providera', secret()));
  t.is(await refusal(disconnect('alice', 'providera')), 'NOT_CONNECTED');
  providera.set({});

  t.like(await late.settled, { connected: false });
  t.deepEqual(await stored(), []);
});

test('the later of two orders prevails, also where the earlier one is stored meanwhile', async (t) => {
  const { connect, another, providera, stored, isServing, unanswered } = await openRotatingDesk(t);
  const earlier = await unanswered(() => connect('alice', 'providera', secret()));
  const { answered, store, transactAs } = standstill();
  const later = another({ transactAs }).connect('alice', 'providera', secret());
  await answered.promise;
  providera.set({});
  await earlier.settled;
  const [before] = await stored();
  store.resolve();

  await later;
  t.not((await stored())[0]?.['credential_id'], before?.['credential_id']);
  t.true(await isServing());
});

/** Another process, which has looked once whether it may show the credential to the provider. */
async function sentAgain(desk: Desk, credential: string, as = desk.command()) {
  const looked = Promise.withResolvers<void>();
  const transactAs =
    (plain: Transact): Transact =>
    (body) =>
      plain(body).finally(looked.resolve);
  const other = desk.another({ transactAs });
  const settled = other.connect('alice', 'providera', credential, false, as);
  await looked.promise;
  return { settled };
}

/** What overtakes an order. */
const overtake = {
  disconnected: (desk: Desk) => desk.disconnect('alice', 'providera'),
  replaced: (desk: Desk) => desk.connect('alice', 'providera', secret()),
} as const;
const ways = ['disconnected', 'replaced'] as const;

for (const way of ways) {
  test(`one that is ${way} and sent again while it is shown is shown once, and stored`, async (t) => {
    const desk = await openRotatingDesk(t);
    const { connect, providera, isServing, unanswered } = desk;
    const credential = secret();
    await connect('alice', 'providera', secret());
    const late = await unanswered(() => connect('alice', 'providera', credential, true));
    await overtake[way](desk);
    const { keysMade } = providera.counts;
    const again = await sentAgain(desk, credential);
    providera.set({});

    t.like(await late.settled, { connected: true });
    t.deepEqual(await again.settled, await late.settled);
    t.is(providera.counts.keysMade, keysMade + 1);
    t.true(await isServing());
  });

  test(`who waits for one that is shown shows it no more once it is ${way}`, async (t) => {
    const desk = await openRotatingDesk(t);
    const { connect, providera, stored, unanswered } = desk;
    const credential = secret();
    await connect('alice', 'providera', secret());
    const late = await unanswered(() => connect('alice', 'providera', credential));
    const again = await sentAgain(desk, credential);
    const now = await overtake[way](desk);
    const [kept, { keysMade }] = [await stored(), { ...providera.counts }];
    providera.set({});

    t.deepEqual(await Promise.all([late.settled, again.settled]), [now, now]);
    t.deepEqual(await stored(), kept);
    t.is(providera.counts.keysMade, keysMade + 1);
  });

  test(`an order that is read once more after it was ${way} is no later one`, async (t) => {
    const desk = await openRotatingDesk(t);
    const { connect, providera, stored, command, unanswered } = desk;
    const [credential, order] = [secret(), command()];
    await connect('alice', 'providera', secret());
    const late = await unanswered(() => connect('alice', 'providera', credential, false, order));
    const now = await overtake[way](desk);
    const kept = await stored();
    const again = await sentAgain(desk, credential, order);
    providera.set({});

    t.deepEqual(await Promise.all([late.settled, again.settled]), [now, now]);
    t.deepEqual(await stored(), kept);
  });
}

for (const way of ways) {
  test(`who waited for one that its provider left as it is undoes nothing once it is ${way}`, async (t) => {
    const desk = await openRotatingDesk(t);
    const { connect, providera, refusal, stored, unanswered } = desk;
    providera.set({ rotates: false });
    const credential = secret();
    const late = await unanswered(() => connect('alice', 'providera', credential));
    const again = await sentAgain(desk, credential);
    const told = refusal(again.settled);
    providera.set({});
    await late.settled;
    await overtake[way](desk);
    const kept = await stored();

    t.is(await told, 'OUTCOME_UNKNOWN');
    t.deepEqual(await stored(), kept);
  });
}

test('an order whose caller gave up before it began wants nothing any more', async (t) => {
  const desk = await openRotatingDesk(t);
  const { connect, disconnect, refusal, providera, stored, unanswered } = desk;
  const [credential, begin] = [secret(), Promise.withResolvers<void>()];
  const looked = Promise.withResolvers<void>();
  const transactAs =
    (plain: Transact): Transact =>
    async (body) => {
      await begin.promise;
      return await plain(body).finally(looked.resolve);
    };
  const slow = desk.another({ transactAs, connectMs: 100 });
  t.is(await refusal(slow.connect('alice', 'providera', credential)), 'OUTCOME_UNKNOWN');
  const late = await unanswered(() => connect('alice', 'providera', credential));
  t.is(await refusal(disconnect('alice', 'providera')), 'NOT_CONNECTED');
  begin.resolve();
  await looked.promise;
  providera.set({});

  t.like(await late.settled, { connected: false });
  t.deepEqual(await stored(), []);
});

test('a disconnect that had nothing to end is over, also when it is read once more', async (t) => {
  const { connect, command, disconnect, refusal, stored } = await openRotatingDesk(t);
  const order = command();
  t.is(await refusal(disconnect('alice', 'providera', order)), 'NOT_CONNECTED');
  await connect('alice', 'providera', secret());
  const kept = await stored();

  t.is(await refusal(disconnect('alice', 'providera', order)), 'NOT_CONNECTED');
  t.deepEqual(await stored(), kept);
});

test('one whose successor nobody wanted any more is said to be spent', async (t) => {
  const { connect, disconnect, providera, unanswered } = await openRotatingDesk(t);
  const credential = secret();
  await connect('alice', 'providera', secret());
  const late = await unanswered(() => connect('alice', 'providera', credential));
  await disconnect('alice', 'providera');
  providera.set({});
  await late.settled;

  const told = await t.throwsAsync(connect('alice', 'providera', credential));
  t.like(told, { code: 'CREDENTIAL_REJECTED' });
  t.regex(told.message, /shown to it before/);
});

test('who is overtaken by one that was refused since is not told that it is connected', async (t) => {
  const { admin, connect, command, providera, unanswered } = await openRotatingDesk(t);
  const late = await unanswered(() => connect('alice', 'providera', secret()));
  const [credential, order] = [secret(), command()];
  await connect('alice', 'providera', credential, false, order);
  await admin`update inference_credential set rejected_at = rt.clock(), updated_at = rt.clock()`;
  const [refused] = await admin<{ at: Date }[]>`select updated_at as at from inference_credential`;
  providera.set({});

  const now = { connected: false, updatedAtMs: refused?.at.getTime() ?? 0 };
  t.deepEqual(await late.settled, now);
  t.deepEqual(await connect('alice', 'providera', credential, false, order), now);
});

test('what was overtaken is forgotten after a day, whatever was stored for it', async (t) => {
  const { admin, connect, disconnect } = await openRotatingDesk(t);
  await connect('alice', 'providera', secret());
  // As one leaves it that is overtaken and stored all the same.
  await admin`update inference_check set overtaken_at = rt.wall_clock()`;
  await connect('alice', 'providera', secret());
  await disconnect('alice', 'providera');
  const noted = async () => {
    const rows = await admin<{ hotkey: string }[]>`
      select miner_hotkey as hotkey from inference_check
      union all
      select miner_hotkey from inference_overtaken_check
      order by hotkey`;
    return rows.map(({ hotkey }) => hotkey);
  };
  t.deepEqual(await noted(), ['alice', 'alice']);
  await admin`update inference_check set begun_at = begun_at - interval '25 hours'`;
  await admin`
    update inference_overtaken_check set overtaken_at = overtaken_at - interval '25 hours'`;
  await connect('bob', 'providera', secret());

  t.deepEqual(await noted(), ['bob']);
});

test('what was overtaken within the day is still known', async (t) => {
  const { admin, connect, disconnect } = await openRotatingDesk(t);
  const credential = secret();
  await connect('alice', 'providera', credential);
  await disconnect('alice', 'providera');
  await admin`
    update inference_overtaken_check set overtaken_at = overtaken_at - interval '23 hours'`;
  await connect('bob', 'providera', secret());

  const told = await t.throwsAsync(connect('alice', 'providera', credential));
  t.regex(told.message, /shown to it before/);
});

test('who gets no answer from its provider ends its turn, also where it is overtaken', async (t) => {
  const { connect, disconnect, refusal, providera } = await openRotatingDesk(t);
  const credential = secret();
  await connect('alice', 'providera', secret());
  await until(() => providera.counts.keysRevoked === providera.counts.keysMade);
  const { requests } = providera.counts;
  const fault = { kind: 'status', status: 503 } as const;
  providera.set({ delayMs: 1_000, fault: { fault, scope: 'accounts', times: 1 } });
  const told = refusal(connect('alice', 'providera', credential));
  await until(() => providera.counts.requests > requests);
  await disconnect('alice', 'providera');
  t.is(await told, 'PROVIDER_UNAVAILABLE');
  providera.set({ delayMs: 0 });

  t.like(await connect('alice', 'providera', credential), { connected: true });
});
