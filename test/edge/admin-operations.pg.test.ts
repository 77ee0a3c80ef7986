import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { defaultPolicy } from '../../actors/runtime/policy.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, claimPath, runPath, submit, validators } from '../support/evaluation-client.ts';
import { eventually } from '../support/runtime-world.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { refused } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({
    coordinators: 2,
    env: { COOLDOWN_SECONDS: '0' },
    // A machine that stands still for a second and a half takes nobody's partitions away in a drain.
    policy: { leaseMs: defaultPolicy.leaseMs },
  });
});
test.after.always(() => service?.stop());

interface Members {
  readonly members: readonly {
    readonly member_id: string;
    readonly is_live: boolean;
    readonly is_draining: boolean;
    readonly partition_count: number;
  }[];
}

const read = async <T>(path: string) => await okBody<T>(await service.operator('GET', path));
const members = async () => (await read<Members>('/v1/admin/partitions')).members;
const stuck = () =>
  read<{ stuck: readonly object[]; total: number; checked_at: string }>('/v1/admin/stuck');

/** Beats and claims until told to stop; every answer's status, and the longest wait. */
function startTraffic(beating: readonly (readonly [TestKey, string])[], claiming: TestKey) {
  const statuses = new Map<number, number>();
  let [isRunning, slowestMs] = [true, 0];
  const count = async (ask: () => Promise<Response>) => {
    const startedMs = performance.now();
    const answer = await ask();
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    return answer;
  };
  const beat = async ([validator, evalRunId]: readonly [TestKey, string]) => {
    while (isRunning) {
      await count(() => validator.post(runPath(evalRunId, 'heartbeat')));
      await sleep(20);
    }
  };
  const claimAndRelease = async () => {
    while (isRunning) {
      const answer = await count(() => claiming.post(claimPath));
      if (answer.status !== 200) continue;
      const { eval_run_id: evalRunId } = (await answer.json()) as { eval_run_id: string };
      await count(() => claiming.post(runPath(evalRunId, 'release')));
    }
  };
  const all = Promise.all([...beating.map(beat), claimAndRelease()]);
  return {
    async stop() {
      isRunning = false;
      await all;
      return { statuses, slowestMs };
    },
  };
}

test.serial('a drained coordinator gives everything away and no validator notices', async (t) => {
  await openTrialSuite(service, { requiredSuccesses: 3 });
  for (let index = 0; index < 6; index += 1) {
    await submit(await service.miner(`drain miner ${index}`));
  }
  const [claiming, ...holders] = await validators(service, 'drain validator', 5);
  if (claiming === undefined) throw new Error('no validator');
  const runs = await Promise.all(
    holders.map(async (validator) => [validator, (await claim(validator)).eval_run_id] as const),
  );
  const [leaving, staying] = await eventually(members, (found) =>
    found.every(({ partition_count }) => partition_count > 0),
  );
  if (leaving === undefined || staying === undefined) throw new Error('two coordinators');
  const traffic = startTraffic(runs, claiming);

  const path = (id: string) => `/v1/admin/actors/${id}/drain`;
  const headers = { 'idempotency-key': randomUUID() };
  const body = { reason: 'roll-out' };
  const ordered = { body, headers };
  const first = await okBody(await service.operator('POST', path(leaving.member_id), ordered));
  t.like(first, { member_id: leaving.member_id, is_draining: true });
  await refused(t, await service.operator('POST', path(staying.member_id)), '409 LAST_ACTOR');
  await refused(t, await service.operator('POST', path('nobody')), '404 ACTOR_NOT_FOUND');
  const after = await eventually(members, (found) =>
    found.some(
      ({ member_id, partition_count }) => member_id === leaving.member_id && partition_count === 0,
    ),
  );

  const { statuses, slowestMs } = await traffic.stop();
  t.log(Object.fromEntries(statuses), `slowest ${Math.round(slowestMs)} ms`);
  t.deepEqual(
    [...statuses.keys()].filter((status) => status !== 200 && status !== 204),
    [],
  );
  t.like(
    after.find(({ member_id }) => member_id === leaving.member_id),
    { is_live: true, is_draining: true },
  );
  const again = await service.operator('POST', path(leaving.member_id), ordered);
  t.deepEqual(await okBody(again), first);
  t.like(await okBody(await service.operator('POST', path(leaving.member_id))), {
    is_draining: true,
    partition_count: 0,
  });
  const { entries } = await read<{ entries: readonly { action: string; reason: string | null }[] }>(
    '/v1/admin/audit-log',
  );
  const drains = entries.filter(({ action }) => action === 'member.drain');
  t.deepEqual(
    drains.map(({ reason }) => reason),
    [null, 'roll-out'],
  );
});

test.serial('nothing is stuck in a service at work, and what is planted is found', async (t) => {
  const { stuck: records, total, checked_at: checkedAt } = await stuck();
  t.deepEqual([records, total], [[], 0]);
  t.true(Math.abs(Date.parse(checkedAt) - Date.now()) < 60_000);

  await service.sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    values ('bad', 'evt.race.1.x', '{}', '{}', 'cannot read', '2026-01-02T03:04:05Z')`;
  const found = await stuck();
  t.deepEqual(found.stuck, [
    {
      kind: 'parked-message',
      id: 'bad',
      state: 'evt.race.1.x',
      since: '2026-01-02T03:04:05.000Z',
      deadline: null,
      owner: null,
      why: 'it failed too often: cannot read',
    },
  ]);
  t.is(found.total, 1);
  t.like(await read('/v1/admin/overview'), { stuck_records: 1, parked_messages: 1 });
});

interface Entry {
  readonly seq: number;
  readonly actor: string;
  readonly action: string;
  readonly object: string;
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly prev_hash: string;
  readonly hash: string;
  readonly committed_at: string;
}

const sortKeys = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value;

/** As infra/reference/operations.md tells strangers to. */
function hashOf(entry: Entry): string {
  const { seq, prev_hash, committed_at, actor, action, object, reason, detail } = entry;
  const at = Date.parse(committed_at);
  const text = JSON.stringify(
    [seq, prev_hash, at, actor, action, object, reason, detail],
    sortKeys,
  );
  return createHash('sha256').update(text).digest('hex');
}

test.serial('a stranger verifies the whole audit log from its pages', async (t) => {
  const body = { margin_initial: 0.07, margin_half_life_days: 0.1, race_tasks: null };
  await okBody(await service.operator('PATCH', '/v1/admin/policy', { body }));
  const hotkey = service.stranger('audited').hotkey;
  const ban = { body: { reason: 'Zeichen „ß“ \u2028 \\ "' } };
  await okBody(await service.operator('PUT', `/v1/admin/hotkeys/${hotkey}/ban`, ban));
  const entries: Entry[] = [];
  for (let offset = 0; ; offset += 3) {
    const path = `/v1/admin/audit-log?limit=3&offset=${offset}`;
    const page = await read<{ total: number; entries: readonly Entry[] }>(path);
    entries.push(...page.entries);
    if (page.entries.length < 3) break;
  }

  t.true(entries.length > 5);
  t.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, index) => entries.length - index),
  );
  for (const [index, entry] of entries.entries()) {
    t.is(entry.prev_hash, entries[index + 1]?.hash ?? '0'.repeat(64));
    t.is(entry.hash, hashOf(entry), entry.action);
  }
});
