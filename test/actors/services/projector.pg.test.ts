import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { ReleaseTerms } from '../../../actors/services/projector/project-fact.ts';
import { projectFacts } from '../../../actors/services/projector/projector.actor.ts';
import { followTerms, lockFeed } from '../../../actors/services/projector/store.ts';
import { tellDue } from '../../../actors/services/projector/tell-due.ts';
import { createRaceTeller } from '../../../actors/services/projector/tell-race.ts';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { findStuck } from '../../../actors/services/stuck/find-stuck.ts';
import type { Delivery } from '../../../infra/ports/bus.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { eventText, publicEvent, type StoredEvent } from '../../../machines/feed/public-event.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSealedRace } from '../../support/sealed-race.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { addActiveSuite, addVersion, trialId } from '../../support/trial-races.ts';

const dayMs = 86_400_000;
const terms: ReleaseTerms = { codePrivateMs: 5 * dayMs };

async function openDesk(t: ExecutionContext) {
  const { url, sql: admin } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'feed', role: 'paddock_service', max: 4 });
  t.teardown(() => closeSql(sql));
  const logged: ({ readonly waitMs?: number } | undefined)[] = [];
  const log: Logger = { ...silentLogger, error: (_, fields) => logged.push(fields as object) };
  const transact: Transact = (body) => transaction(sql, {}, body);
  const races = createRaceTeller({ sql, transact, log });
  return {
    admin,
    sql,
    logged,
    project: (facts: readonly Delivery[]) => projectFacts({ sql, transact, log }, facts, terms),
    tell: async () => {
      const { told } = await transact(async (tx) => {
        await lockFeed(tx);
        return await tellDue(tx, log);
      });
      return told + ((await races.tellSome()) === 'told' ? 1 : 0);
    },
    feed: async () => {
      const rows = await admin<StoredEvent[]>`
        select cursor::int as cursor, type, body,
          extract(epoch from at)::float8 * 1000 as "atMs"
        from public_event order by cursor`;
      return rows.map((row) => publicEvent.parse(JSON.parse(eventText(row))));
    },
  };
}

function fact(name: string, body: object, msgId: string = randomUUID()): Delivery {
  const place = { kind: 'eval', part: 3, headers: {}, deliveries: 1 };
  return { ...place, msgId, subject: `fact.${name}`, body };
}

const run = (name: string, fields: object = {}) => ({
  evalRunId: trialId(name),
  agentVersionId: trialId('version'),
  suiteId: 1,
  phase: 'QUALIFYING',
  raceId: null,
  validatorHotkey: 'validator',
  at: 1_000,
  ...fields,
});

test('however often facts come, together and apart, each is told once and in one order', async (t) => {
  const desk = await openDesk(t);
  const facts = Array.from({ length: 60 }, (_, index) => fact('run-claimed', run(`run ${index}`)));
  const batches = [facts.slice(0, 30), facts.slice(15, 45), facts.slice(40), facts];
  await Promise.all(batches.map((batch) => desk.project(batch)));
  await desk.project([...facts, ...facts]);

  const feed = await desk.feed();
  t.deepEqual(
    feed.map(({ cursor }) => cursor),
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
  const ids = feed.map((event) => (event.type === 'run-claimed' ? event.eval_run_id : ''));
  t.is(new Set(ids).size, 60);
  const proofs = await desk.admin`select 1 from rt.inbox where consumer = 'projector'`;
  t.is(proofs.length, 60);
});

/** As versions before published them. */
const ofEarlierVersions = [
  fact('run-started', run('started', { validatorHotkey: undefined })),
  fact('work-item-closed', { ...run('closed'), workItemId: trialId('work') }),
  fact('version-discarded', { agentVersionId: trialId('version'), reason: 'peculiar', at: 1_000 }),
  fact('version-cancelled', { agentVersionId: trialId('version'), at: 1_000 }),
];

test('what is not public is consumed and told to nobody', async (t) => {
  const desk = await openDesk(t);
  await desk.project(ofEarlierVersions);
  await desk.project([
    fact('run-ended', { ...run('a'), status: 'SUCCESS', scoreMicro: 700_001, secret: 'peculiar' }),
    fact('run-ended', { ...run('b', { phase: 'RACE', raceId: trialId('race') }), status: 'STALE' }),
  ]);
  const feed = await desk.feed();
  t.is(feed.length, 1);
  t.like(feed[0], { type: 'run-ended', status: 'SUCCESS', validator_score: 0.700001 });
  t.false(JSON.stringify(feed).includes('peculiar'));
  const proofs = await desk.admin`select 1 from rt.inbox where consumer = 'projector'`;
  t.is(proofs.length, ofEarlierVersions.length + 2);
});

// While a new version is rolled out, its facts come to coordinators of the old one as well.
test('a fact of a name that is not known is left for whoever knows it', async (t) => {
  const desk = await openDesk(t);
  for (const name of ['of-a-version-to-come', 'toString']) {
    await t.throwsAsync(desk.project([fact(name, {})]), { message: /cannot be read/ });
  }
  t.is((await desk.admin`select from rt.inbox`).length, 0);
});

test('a fact that lacks something leaves nothing behind, also of those beside it', async (t) => {
  const desk = await openDesk(t);
  const { evalRunId: _, ...lacking } = run('c');
  const facts = [fact('run-claimed', run('d')), fact('run-claimed', lacking)];
  await t.throwsAsync(desk.project(facts));
  t.deepEqual(await desk.feed(), []);
  t.is((await desk.admin`select 1 from rt.inbox`).length, 0);
});

async function aVersion(desk: Awaited<ReturnType<typeof openDesk>>, name: string, atMs: number) {
  const suiteId = await addActiveSuite(
    desk.admin,
    (await desk.admin`select 1 from suite`).length + 1,
  );
  const id = await addVersion(desk.admin, suiteId, name);
  await desk.admin`
    update agent_version set submitted_at = ${new Date(atMs).toISOString()}
    where agent_version_id = ${id}`;
  const identity = { agentVersionId: id, agentName: name, minerHotkey: name, suiteId };
  await desk.project([fact('submission-accepted', { ...identity, at: atMs })]);
  return identity;
}

test('code is told of when it is released: by its age, or when it becomes top, and once', async (t) => {
  const desk = await openDesk(t);
  const now = Date.now();
  const old = await aVersion(desk, 'old', now - 5 * dayMs);
  await aVersion(desk, 'young', now - dayMs);
  const top = await aVersion(desk, 'top', now - dayMs);
  t.is(await desk.tell(), 1);
  t.is(await desk.tell(), 0);
  const crowned = {
    suiteId: top.suiteId,
    raceId: trialId('race'),
    agentVersionId: top.agentVersionId,
    minerHotkey: 'top',
    score: '0.7000',
    at: now,
  };
  await desk.project([fact('top-changed', crowned)]);
  await desk.project([fact('top-changed', { ...crowned, at: now + 1 })]);
  t.is(await desk.tell(), 0);

  const feed = (await desk.feed()).slice(3);
  t.deepEqual(
    feed.map((event) => [event.type, event.type === 'code-released' && event.release_reason]),
    [
      ['code-released', 'AGED'],
      ['top-changed', false],
      ['code-released', 'TOP'],
      ['top-changed', false],
    ],
  );
  t.like(feed[0], { agent_version_id: old.agentVersionId, version_number: 1 });
  t.is(Date.parse(feed[0]?.at ?? ''), now);
  // A shorter time in the configuration releases what is older by it.
  await followTerms(desk.sql, dayMs);
  t.is(await desk.tell(), 1);
  t.like((await desk.feed()).at(-1), { agent_name: 'agent of young', release_reason: 'AGED' });
});

test('the code of a new top that could not be told yet does not age by the configuration', async (t) => {
  const desk = await openDesk(t);
  const top = await aVersion(desk, 'top', Date.now() - dayMs);
  await desk.admin`
    update public_release set reason = 'TOP', due_at = rt.clock() where id = ${top.agentVersionId}`;
  await followTerms(desk.sql, 30 * dayMs);

  t.is(await desk.tell(), 1);
  const released = (await desk.feed()).at(-1);
  t.like(released, { agent_version_id: top.agentVersionId, release_reason: 'TOP' });
});

/** Releases of versions that there are not, longer due than anything else. */
async function plantUntellable(desk: Awaited<ReturnType<typeof openDesk>>, count: number) {
  await desk.admin`
    insert into public_release (kind, id, due_at, reason)
    select 'CODE', gen_random_uuid(), now() - interval '30 days', 'AGED'
    from generate_series(1, ${count})`;
}

test('releases that cannot be told keep no others back, and stay seen', async (t) => {
  const desk = await openDesk(t);
  const now = Date.now();
  const old = await aVersion(desk, 'old', now - 5 * dayMs);
  await plantUntellable(desk, 60);

  const told: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    told.push(await desk.tell());
    // However slow this machine is, none of them is tried twice.
    await passWait(desk, -60);
  }

  t.deepEqual(told, [0, 1, 0]);
  t.like((await desk.feed()).at(-1), {
    type: 'code-released',
    agent_version_id: old.agentVersionId,
  });
  t.is(desk.logged.length, 60);
  t.like(desk.logged[0], { kind: 'CODE' });
  const { records } = await findStuck(desk.admin, 100);
  t.is(records.filter(({ kind }) => kind === 'public-release').length, 60);
});

test('a release that could not be told is tried again, ever later, and told once it can be', async (t) => {
  const desk = await openDesk(t);
  const version = await aVersion(desk, 'late', Date.now() - 5 * dayMs);
  await desk.admin`
    alter table agent_version rename column code_sha256 to code_away`;
  const waits: (number | undefined)[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    t.is(await desk.tell(), 0);
    const waitMs = desk.logged.at(-1)?.waitMs;
    waits.push(waitMs);
    if (attempt < 7) await passWait(desk, (waitMs ?? 0) / 1000);
  }
  t.is(await desk.tell(), 0);
  t.is(desk.logged.length, 8, 'not before its time');
  await desk.admin`
    alter table agent_version rename column code_away to code_sha256`;
  await passWait(desk, 60);

  t.deepEqual(
    waits,
    [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000),
  );
  t.is(await desk.tell(), 1);
  t.like((await desk.feed()).at(-1), { agent_version_id: version.agentVersionId });
});

test('nobody waits for a release that cannot be told until it is tried again', async (t) => {
  const desk = await openDesk(t);
  const young = await aVersion(desk, 'young', Date.now() - dayMs);
  await plantUntellable(desk, 2);
  const next = async () => {
    const [row] = await desk.sql<{ key: string | null }[]>`
      select (select r.id from public_release r where r.due_at = rt.next_release() limit 1) as key`;
    return row?.key;
  };
  t.not(await next(), young.agentVersionId);

  await desk.tell();

  await passWait(desk, -60);
  t.is(await next(), young.agentVersionId, 'a simulated clock may go on to what comes next');
  await passWait(desk, 61);
  t.not(await next(), young.agentVersionId);
});

/** On the wall clock, for what is put off. */
async function passWait(desk: Awaited<ReturnType<typeof openDesk>>, seconds: number) {
  await desk.admin`
    update public_release set put_off_until = put_off_until - ${seconds} * interval '1 second'`;
}

test('a new top is told of, and its code, whatever else cannot be', async (t) => {
  const desk = await openDesk(t);
  const now = Date.now();
  const top = await aVersion(desk, 'top', now - dayMs);
  await plantUntellable(desk, 3);
  const crowned = { ...top, raceId: trialId('race'), score: '0.7000', at: now };

  await desk.project([fact('top-changed', crowned)]);

  const types = (await desk.feed()).map(({ type }) => type);
  t.deepEqual(types, ['submission-accepted', 'top-changed', 'code-released']);
  t.is(desk.logged.length, 3);
});

test('a fact is consumed where releases cannot even be looked for', async (t) => {
  const desk = await openDesk(t);
  const top = await aVersion(desk, 'top', Date.now() - dayMs);
  await desk.admin`revoke select on top_agent from paddock_service`;
  const crowned = { ...top, raceId: trialId('race'), score: '0.7000', at: Date.now() };

  await desk.project([fact('top-changed', crowned)]);

  t.is((await desk.feed()).at(-1)?.type, 'top-changed');
  t.is(desk.logged.length, 1);
});

const names = ['a', 'b', 'c', 'd'];

async function aSealedRace(desk: Awaited<ReturnType<typeof openDesk>>) {
  const race = await addSealedRace(desk.admin, { miners: names, validators: ['v1', 'v2'] });
  const { raceId, suiteId } = race;
  // Its last run is over, too.
  await desk.admin`
    update evaluation_run set status = 'CANCELLED', completed_at = rt.clock()
    where eval_run_id = ${race.runIds.live}`;
  return { ...race, about: { raceId, suiteId, raceNumber: 1 } };
}

test('a winner whose earlier races were far from this one is told of like any other', async (t) => {
  const desk = await openDesk(t);
  const winner = trialId('winner');
  const about = { suiteId: 1, at: 1_000 };
  for (const [number, score] of ['1.0600', '-0.2367'].entries()) {
    const raceId = trialId(`race ${number}`);
    await desk.project([
      fact('race-completed', {
        ...{ ...about, raceId, raceNumber: number + 1, scoredCount: 1, releasedAt: 1_000 },
        ...{ winnerAgentVersionId: winner, winnerScore: score, promotedAgentVersionId: null },
      }),
      fact('top-changed', { ...about, raceId, agentVersionId: null, minerHotkey: null, score }),
    ]);
  }
  const told = (await desk.feed()).map((event) => {
    if (event.type === 'race-completed') return event.winner_score;
    return event.type === 'top-changed' ? event.score : undefined;
  });
  t.deepEqual(told, [1.06, 1.06, -0.2367, -0.2367]);
});

test('the runs of a cancelled race all ended with it, whatever came of them', async (t) => {
  const desk = await openDesk(t);
  const { about, raceId, runIds } = await aSealedRace(desk);
  const at = Date.now() - 1_000;
  await desk.admin`
    update race set status = 'RACE_CANCELLED', cancelled_at = rt.clock() where race_id = ${raceId}`;
  await desk.project([fact('race-cancelled', { ...about, reason: 'NO_FINISHER', at })]);
  t.is(await desk.tell(), 1);
  const ends = (await desk.feed()).flatMap((event) => (event.type === 'run-ended' ? [event] : []));
  const ids = [runIds.first, runIds.second, runIds.failed, runIds.stale, runIds.live];
  t.deepEqual(
    ends.map((each) => [each.eval_run_id, each.status, each.validator_score, each.at]),
    ids
      .toSorted()
      .map((id) => [
        id,
        id === runIds.stale ? 'STALE' : 'CANCELLED',
        null,
        new Date(at).toISOString(),
      ]),
  );
});

test('the runs of a race are told at its release and not before, and later ones as they end', async (t) => {
  const desk = await openDesk(t);
  const { about, raceId, runIds } = await aSealedRace(desk);
  const at = Date.now();
  const complete = async (releasedAt: number) => {
    await desk.admin`
      update race set status = 'RACE_COMPLETE', completed_at = rt.clock(),
        released_at = ${new Date(releasedAt).toISOString()}
      where race_id = ${raceId}`;
    const body = {
      ...{ ...about, at, releasedAt, scoredCount: 2, promotedAgentVersionId: null },
      ...{ winnerAgentVersionId: trialId('winner'), winnerScore: '0.7654' },
    };
    await desk.project([fact('race-completed', body)]);
  };
  await complete(at + 60_000);
  t.is(await desk.tell(), 0);
  t.is((await desk.feed()).length, 1);
  await desk.admin`update public_release set due_at = rt.clock() where kind = 'RACE'`;
  t.is(await desk.tell(), 1);
  const ends = async () =>
    (await desk.feed()).flatMap((event) => (event.type === 'run-ended' ? [event] : []));
  t.is((await ends()).length, 5);
  t.like(
    (await ends()).find((each) => each.eval_run_id === runIds.first),
    { status: 'SUCCESS', validator_score: 0.777123, race_id: raceId },
  );
  const endedAt = await desk.admin<{ id: string; at: Date }[]>`
    select eval_run_id as id, date_trunc('milliseconds', completed_at) as at from evaluation_run
    where race_id = ${raceId}`;
  t.deepEqual(
    Object.fromEntries((await ends()).map((each) => [each.eval_run_id, each.at])),
    Object.fromEntries(endedAt.map(({ id, at: ended }) => [id, ended.toISOString()])),
    'when they ended, not when that was told',
  );

  // One that judges the race again ends long afterwards.
  const late = trialId('late');
  await desk.admin`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, validator_hotkey, slot, fence, status,
                                claimed_at, lease_expires_at, completed_at, expected_items)
    select ${late}, part, work_item_id, agent_version_id, suite_id, phase, race_id, execution_kind,
           'v3', 0, 99, 'FAILED', claimed_at, lease_expires_at, rt.clock(), 2
    from evaluation_run where eval_run_id = ${runIds.first}`;
  const ended = run('late', { phase: 'RACE', raceId, evalRunId: late });
  await desk.project([fact('run-ended', { ...ended, status: null })]);
  t.is(await desk.tell(), 1);
  t.is(await desk.tell(), 0);
  t.is((await ends()).length, 6);
  t.like((await ends()).at(-1), { eval_run_id: late, status: 'FAILED' });
});

test('a race that is judged again for days is told at its release all the same', async (t) => {
  const desk = await openDesk(t);
  const { about, raceId, runIds } = await aSealedRace(desk);
  const judging = trialId('judging');
  await desk.admin`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, validator_hotkey, slot, fence, status,
                                claimed_at, lease_expires_at, expected_items, rejudging_id)
    select ${judging}, part, work_item_id, agent_version_id, suite_id, phase, race_id, execution_kind,
           'v3', 0, 99, 'RUNNING', claimed_at, lease_expires_at, 2, ${trialId('rejudging')}
    from evaluation_run where eval_run_id = ${runIds.first}`;
  await desk.admin`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(), released_at = rt.clock()
    where race_id = ${raceId}`;
  const at = Date.now() - 1_000;
  const body = {
    ...{ ...about, at, releasedAt: at, scoredCount: 2, promotedAgentVersionId: null },
    ...{ winnerAgentVersionId: trialId('winner'), winnerScore: '0.7654' },
  };
  await desk.project([fact('race-completed', body)]);

  t.is(await desk.tell(), 1);
  const ended = (await desk.feed()).flatMap((event) =>
    event.type === 'run-ended' ? [event.eval_run_id] : [],
  );
  t.is(ended.length, 5);
  t.false(ended.includes(judging));
});
