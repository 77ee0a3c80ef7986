import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { addSealedRace, addWork, type SealedRace } from '../../support/sealed-race.ts';
import { trialId } from '../../support/trial-races.ts';

// After five runs that fell silent or that the platform failed, work is held from the end of the last one on.
// Of a race's work that is a result: whoever sees it knows whom how many sealed runs blamed, and when they ended.

interface Wait {
  readonly reason: string | null;
  readonly position: number | null;
  readonly expected_start_at: string | null;
  readonly expected_finish_at: string | null;
}
interface Status {
  readonly waiting: Wait;
  readonly timeline: readonly { readonly event: string }[];
}
interface Pending {
  readonly items: readonly {
    readonly agent_version_id: string;
    readonly position: number;
    readonly blocked_reason: string | null;
    readonly expected_start_at: string | null;
  }[];
}

interface RaceWork {
  readonly items: number;
  readonly open: number;
  readonly live_runs: number;
  readonly held: readonly {
    readonly hold_reason: string;
    readonly items: number;
    readonly next_ends_at: string | null;
  }[];
}

let service: TestService;
let race: SealedRace;
/** In the order of claims: two of the race, and one that qualifies. */
let waiting: readonly [first: string, second: string, qualifying: string];
test.before(async () => {
  service = await startTestService();
  const { sql } = service;
  race = await addSealedRace(sql, { miners: ['a', 'b', 'c', 'd'], validators: ['v', 'w'] });
  const [, first, second, qualifying] = race.versionIds;
  waiting = [first, second, qualifying];
  await addWork(sql, { versionId: qualifying, suiteId: race.suiteId, raceId: null, included: 0 });
  for (const [place, versionId] of waiting.entries()) {
    await sql`
      update work_item set queue_order_at = rt.clock() - ${9 - place} * interval '1 minute'
      where agent_version_id = ${versionId}`;
  }
  for (const hotkey of ['x', 'y', 'z']) {
    await sql`insert into validator (hotkey, last_seen_at) values (${hotkey}, rt.clock())`;
  }
});
test.after.always(() => service?.stop());

/** As five such runs leave it, with the event of the last. */
async function hold(versionId: string): Promise<void> {
  const { sql } = service;
  const [work] = await sql<{ workItemId: string; part: number }[]>`
    update work_item
    set hold_until = rt.clock() + interval '30 minutes', hold_reason = 'REPEATED_FAILURES'
    where agent_version_id = ${versionId} and state = 'OPEN'
    returning work_item_id as "workItemId", part`;
  await sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                          command_id, account, epoch, at)
    values ('eval', ${work?.part ?? 0}, 'work-item', ${work?.workItemId ?? ''}, 1, ${versionId}, 'HELD', 1,
            '{"reason": "REPEATED_FAILURES"}', ${trialId(`hold of ${versionId}`)}, 'test', 1, rt.clock())`;
}

async function get<T>(path: string): Promise<T> {
  const answer = await service.call('GET', `/v1/public/${path}`);
  return (await answer.json()) as T;
}

/** What everybody is told of all that waits; times as minutes from now, which goes on. */
async function told(): Promise<Pending & { readonly statuses: readonly Status[] }> {
  const pending = await get<Pending>('evaluations/pending');
  const statuses = await Promise.all(
    waiting.map((id) => get<Status>(`agent-versions/${id}/status`)),
  );
  const text = JSON.stringify({ items: pending.items, statuses });
  return JSON.parse(text, (key, value) =>
    key.startsWith('expected_') && value !== null
      ? `in ${Math.round((Date.parse(value) - Date.now()) / 60_000) + 0} minutes`
      : value,
  ) as Awaited<ReturnType<typeof told>>;
}

const waits = async (versionId: string) => {
  const { waiting: wait } = await get<Status>(`agent-versions/${versionId}/status`);
  return wait;
};
const pendingOf = async (versionId: string) => {
  const { items } = await get<Pending>('evaluations/pending');
  return items.find(({ agent_version_id: id }) => id === versionId);
};

const minutesUntil = (at: string | null | undefined) =>
  (Date.parse(at ?? '') - Date.now()) / 60_000;

async function workForOperators() {
  const answer = await service.operator('GET', '/v1/admin/overview');
  const { current_race: unfinished } = (await answer.json()) as {
    readonly current_race: { readonly work: RaceWork } | null;
  };
  return unfinished?.work;
}

test.serial(
  'that a race’s work is held nobody but operators can tell, of it or of the work behind it',
  async (t) => {
    const [first, second] = waiting;
    const before = await told();
    t.like(await waits(first), { position: 1 });
    t.truthy((await waits(first)).expected_start_at);

    await hold(first);
    t.deepEqual(await told(), before);
    await hold(second);
    t.deepEqual(await told(), before);

    const work = await workForOperators();
    t.like(work, { items: 3, open: 2, live_runs: 0, held: { length: 1 } });
    t.like(work?.held[0], { hold_reason: 'REPEATED_FAILURES', items: 2 });
    t.true(Math.abs(minutesUntil(work?.held[0]?.next_ends_at) - 30) <= 1);
    await service.sql`
      update work_item set hold_reason = 'MINER_BANNED', live_count = 1
      where agent_version_id = ${second} and race_id is not null`;
    t.like(await workForOperators(), { open: 2, live_runs: 1 });
    t.deepEqual(
      (await workForOperators())?.held.map(({ next_ends_at: at, ...held }) => [held, at === null]),
      [
        [{ hold_reason: 'MINER_BANNED', items: 1 }, true],
        [{ hold_reason: 'REPEATED_FAILURES', items: 1 }, false],
      ],
      'a ban ends by an order, whatever failures had held before it',
    );
    await service.sql`
      update work_item set hold_reason = 'REPEATED_FAILURES', live_count = 0
      where agent_version_id = ${second} and race_id is not null`;

    // Complete and under embargo, while its coordinator has not heard of it.
    await service.sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(), scored_count = 0,
      released_at = rt.clock() + interval '1 hour'
    where race_id = ${race.raceId}`;
    t.deepEqual((await told()).items, before.items);
  },
);

test.serial('that qualifying work is held is told, and until when', async (t) => {
  const [, , qualifying] = waiting;
  await hold(qualifying);

  const { reason, expected_start_at: at } = await waits(qualifying);
  t.is(reason, 'REPEATED_FAILURES');
  t.true(Date.parse(at ?? '') > Date.now() + 25 * 60_000);
  t.like(await pendingOf(qualifying), { blocked_reason: reason, position: 3 });
  const { timeline } = await get<Status>(`agent-versions/${qualifying}/status`);
  t.true(timeline.some(({ event }) => event === 'work_held'));
});

test.serial(
  'a ban is told of any work, without a time, and its work is ahead of nobody',
  async (t) => {
    const [first, second, qualifying] = waiting;
    await service.sql`
    update work_item set hold_reason = 'MINER_BANNED'
    where agent_version_id in ${service.sql([first, qualifying])}`;

    const endless = { expected_start_at: null, expected_finish_at: null };
    for (const versionId of [first, qualifying]) {
      t.like(await waits(versionId), { reason: 'MINER_BANNED', ...endless });
      const item = await pendingOf(versionId);
      t.like(item, { blocked_reason: 'MINER_BANNED', expected_start_at: null });
    }
    t.is((await waits(second)).position, 1);
    t.is((await pendingOf(second))?.position, 1);
  },
);
