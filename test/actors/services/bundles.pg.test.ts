import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { bundleKey } from '../../../actors/services/bundles/bundle-key.ts';
import {
  createBundlePublisher,
  publishBundle,
} from '../../../actors/services/bundles/bundles.actor.ts';
import { unbundledRaces } from '../../../actors/services/bundles/store.ts';
import { compareBundle } from '../../../apps/verify/compare-bundle.ts';
import { Comparison } from '../../../apps/verify/difference.ts';
import { openBundle } from '../../../apps/verify/sealed-bundle.ts';
import { createTextArchive } from '../../../infra/bundles/archive-text.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import { startEmbeddedObjectStore } from '../../../infra/object-store/embedded/embedded-store.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { playRace } from '../../support/played-race.ts';
import { addRun, addWork } from '../../support/sealed-race.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { addActiveSuite, addRace, addVersion } from '../../support/trial-races.ts';
import { until } from '../../support/until.ts';

const hourMs = 3_600_000;

async function world(t: ExecutionContext) {
  const { url, sql } = await testDatabase(t);
  const service = createSql({ url, max: 2, applicationName: 'bundles', role: 'paddock_service' });
  t.teardown(() => closeSql(service));
  const dataDir = await mkdtemp(join(tmpdir(), 'paddock-bundles-'));
  const keys = { accessKeyId: 'test', secretAccessKey: 'a secret of a test' };
  const store = await startEmbeddedObjectStore({ dataDir, ...keys });
  t.teardown(async () => {
    await store.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const objects = createS3Store({ endpoint: store.endpoint, bucket: 'bundles', ...keys });
  await objects.ensureBucket();
  const signer = createEd25519Signer(new Uint8Array(32).fill(7));
  const archive = createTextArchive(dataDir);
  return { sql, deps: { sql: service, objects, signer, archive, log: silentLogger } };
}

interface Row {
  readonly raceId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly signature: string;
  readonly publicKey: string;
}

const rows = async ({ sql }: { sql: Awaited<ReturnType<typeof world>>['sql'] }) =>
  await sql<Row[]>`
    select race_id as "raceId", sha256, size_bytes::int as "sizeBytes", signature,
      public_key as "publicKey"
    from race_bundle`;

test('a released race has one bundle, whoever builds it and however often', async (t) => {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const race = {
    ...{ suiteId, raceNumber: 1, taskCount: 5, completedAtMs: Date.now() - hourMs },
    hotkeys: ['a', 'b', 'c', 'd'],
    reward: (hotkey: string, validator: number, task: number) =>
      (task + validator) % 3 === 0 ? undefined : 100_000 * (hotkey.charCodeAt(0) - 92),
  };
  await playRace(sql, race);
  const [raceId = ''] = await unbundledRaces(deps.sql, 10);

  await Promise.all([publishBundle(deps, raceId), publishBundle(deps, raceId)]);
  const [first, ...others] = await rows({ sql });
  t.deepEqual(others, []);
  t.deepEqual(await unbundledRaces(deps.sql, 10), []);

  // What becomes of a version later is no part of its race.
  await sql`update agent_version set state = 'DISCARDED', discarded_at = rt.clock()`;
  await sql`update top_agent set ended_at = rt.clock(), end_reason = 'DISCARDED'`;
  await sql`delete from race_bundle`;
  await publishBundle(deps, raceId);
  t.deepEqual((await rows({ sql }))[0], first);

  const bytes = await deps.objects.get(bundleKey(first?.sha256 ?? ''));
  t.is(bytes?.length, first?.sizeBytes);
  const bundle = openBundle(bytes ?? new Uint8Array(), {
    race_id: raceId,
    sha256: first?.sha256 ?? '',
    size_bytes: first?.sizeBytes ?? 0,
    signature: first?.signature ?? '',
    public_key: deps.signer.publicKey,
  });
  t.is(bundle.runs.length, 8);
  const comparison = new Comparison();
  compareBundle(bundle, comparison);
  t.deepEqual(comparison.differences, []);
  t.true(comparison.count > 50);
});

/** What operators ordered, by how many minutes it came after the end of the race. */
type Orders = readonly (readonly ['hotkey.ban' | 'hotkey.unban' | 'REINSTATED', number])[];

interface Accusation {
  readonly unfinishedReason: 'AGENT_FAULT' | 'NOT_FINISHED';
  readonly orders: Orders;
  /** Whether the race says itself which faults counted, or an owner of before completed it. */
  readonly isStored?: boolean;
}

/** One more entrant of a played race: all it has is a fault, two minutes before the end. */
async function addAccused(sql: Sql, { unfinishedReason, orders, isStored = false }: Accusation) {
  const [race] = await sql<{ id: string; suiteId: number; at: Date }[]>`
    update race set qualifier_count = qualifier_count + 1
    returning race_id as id, suite_id as "suiteId", completed_at as at`;
  if (race === undefined) throw new Error('no race');
  const after = (minutes: number) => new Date(race.at.getTime() + minutes * 60_000);
  const versionId = await addVersion(sql, race.suiteId, 'accused');
  const work = { versionId, suiteId: race.suiteId, raceId: race.id, included: 0 };
  const workId = await addWork(sql, work);
  await sql`
    insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
                              qualifying_score, is_eliminated, unfinished_reason)
    values (${race.id}, ${versionId}, 'accused', 'QUALIFIED', 0.6,
            ${unfinishedReason === 'AGENT_FAULT'}, ${unfinishedReason})`;
  const run = { runId: randomUUID(), suiteId: race.suiteId, versionId, workId, raceId: race.id };
  await addRun(sql, { ...run, validator: 'accuser', status: 'FAILED', fault: 'AGENT' });
  await sql`update evaluation_run set completed_at = ${after(-2)} where eval_run_id = ${run.runId}`;
  if (isStored) {
    const uncounted = unfinishedReason === 'AGENT_FAULT' ? [] : [run.runId];
    await sql`update race set uncounted_faults = ${uncounted}::uuid[]`;
  }
  for (const [seq, [order, minutes]] of orders.entries()) {
    await (order === 'REINSTATED'
      ? sql`
          insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version,
                                payload, command_id, account, epoch, at)
          values ('eval', 0, 'agent-version', ${versionId}, ${versionId}, 9, ${order}, 1, '{}', 'c',
                  'test', 1, ${after(minutes)})`
      : sql`
          insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
          values (${seq + 1}, 'test', ${order}, 'hotkey/accuser', '{}', '', '', ${after(minutes)})`);
  }
}

/** What verification finds in the bundle of a race with such an entrant. */
async function differences(t: ExecutionContext, accusation: Accusation) {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const race = { suiteId, raceNumber: 1, taskCount: 1, completedAtMs: Date.now() - hourMs };
  await playRace(sql, { ...race, hotkeys: ['a'], reward: () => 500_000 });
  await addAccused(sql, accusation);
  const [raceId = ''] = await unbundledRaces(deps.sql, 10);
  await publishBundle(deps, raceId);
  const [row] = await rows({ sql });
  if (row === undefined) throw new Error('no bundle');
  const bytes = await deps.objects.get(bundleKey(row.sha256));
  const bundle = openBundle(bytes ?? new Uint8Array(), {
    race_id: raceId,
    sha256: row.sha256,
    size_bytes: row.sizeBytes,
    signature: row.signature,
    public_key: deps.signer.publicKey,
  });
  const comparison = new Comparison();
  compareBundle(bundle, comparison);
  return comparison.differences;
}

const accusations: readonly (readonly [string, Accusation['unfinishedReason'], Orders])[] = [
  [
    'by a validator that was banned by then, and is no more',
    'NOT_FINISHED',
    [
      ['hotkey.ban', -1],
      ['hotkey.unban', 1],
    ],
  ],
  ['by a validator that was banned later', 'AGENT_FAULT', [['hotkey.ban', 1]]],
  [
    'by a validator whose ban was over',
    'AGENT_FAULT',
    [
      ['hotkey.ban', -4],
      ['hotkey.unban', -3],
    ],
  ],
  ['of what was forgiven by then', 'NOT_FINISHED', [['REINSTATED', -1]]],
  ['of what was forgiven later', 'AGENT_FAULT', [['REINSTATED', 1]]],
];
for (const [which, unfinishedReason, orders] of accusations) {
  test(`a bundle has an accusation as it stood at the end of its race: ${which}`, async (t) => {
    t.deepEqual(await differences(t, { unfinishedReason, orders }), []);
  });
}

/** As where the clocks of the database and of the race's owner differ by a minute. */
const misdated: typeof accusations = [
  ['a ban that counted and has a later stamp', 'NOT_FINISHED', [['hotkey.ban', 1]]],
  ['a ban that came too late and has an earlier stamp', 'AGENT_FAULT', [['hotkey.ban', -1]]],
  ['a reinstatement that counted and has a later stamp', 'NOT_FINISHED', [['REINSTATED', 1]]],
  ['one that came too late and has an earlier stamp', 'AGENT_FAULT', [['REINSTATED', -1]]],
];
for (const [which, unfinishedReason, orders] of misdated) {
  test(`a bundle has an accusation as the decision counted it, by whatever clock: ${which}`, async (t) => {
    t.deepEqual(await differences(t, { unfinishedReason, orders, isStored: true }), []);
  });
}

test('only what is complete and released is published, the oldest first', async (t) => {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const of = (raceNumber: number) => ({ suiteId, raceNumber, entrants: [] });
  const newer = await addRace(sql, { ...of(2), completedAgo: 1 });
  const older = await addRace(sql, { ...of(1), completedAgo: 30 });
  await addRace(sql, { ...of(3), completedAgo: 1, releasedIn: 1 });
  await addRace(sql, { ...of(4), status: 'RACE_CANCELLED' });
  await addRace(sql, { ...of(5), status: 'RACE_RUNNING' });

  t.deepEqual(await unbundledRaces(deps.sql, 10), [older, newer]);
});

test('races that are released in one instant are each met once on the way', async (t) => {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const raceIds: string[] = [];
  for (const raceNumber of [1, 2, 3]) {
    raceIds.push(await addRace(sql, { suiteId, raceNumber, entrants: [] }));
  }
  await sql`update race set released_at = (select min(released_at) from race)`;
  const met: string[] = [];
  for (let after: string | null = null; met.length <= raceIds.length; ) {
    const [next] = await unbundledRaces(deps.sql, 1, after);
    if (next === undefined) break;
    met.push(next);
    after = next;
  }
  t.deepEqual(met, raceIds.toSorted());
});

test('a race whose last runs are still to be cancelled waits for it', async (t) => {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const race = { suiteId, raceNumber: 1, taskCount: 1, completedAtMs: Date.now() - hourMs };
  await playRace(sql, { ...race, hotkeys: ['a'], reward: () => 500_000 });
  await sql`
    update evaluation_run set status = 'RUNNING', completed_at = null
    where validator_hotkey = 'validator 1'`;
  t.deepEqual(await unbundledRaces(deps.sql, 10), []);

  await sql`
    update evaluation_run set status = 'CANCELLED', completed_at = now() where status = 'RUNNING'`;
  t.is((await unbundledRaces(deps.sql, 10)).length, 1);
});

test('the text has one spelling: sorted keys, no space', async (t) => {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });

  await publishBundle(deps, raceId);

  const [{ sha256 } = { sha256: '' }] = await rows({ sql });
  const bytes = await deps.objects.get(bundleKey(sha256));
  const text = gunzipSync(bytes ?? new Uint8Array()).toString();
  t.regex(text, /^\{"emission":\[\],"entrants":\[\],"format":"paddock-race-bundle\/1","race":\{/);
  t.regex(text, /"runs":\[\],"tasks":\[\],"top_before":null,"window":\[\]\}$/);
});

// The oldest twenty were tried in each round, and nothing newer was ever published.
test('twenty races that cannot be published stand in no other’s way', async (t) => {
  const { sql, deps } = await world(t);
  const suiteId = await addActiveSuite(sql);
  const raceIds: string[] = [];
  for (let raceNumber = 1; raceNumber <= 21; raceNumber += 1) {
    const race = { suiteId, raceNumber, entrants: [], completedAgo: 50 - raceNumber };
    raceIds.push(await addRace(sql, race));
  }
  const last = raceIds.at(-1);
  // Who was challenged is not known.
  await sql`update race set challenged_score = 0.5 where race_id <> ${last ?? ''}`;
  const clock = new ManualClock();
  const publisher = createBundlePublisher({ ...deps, clock });
  await publisher.start();
  t.teardown(() => publisher.stop());
  const published = async () => (await rows({ sql })).map(({ raceId }) => raceId);

  await until(async () => {
    await clock.advance(3_000);
    return (await published()).length > 0;
  });
  t.deepEqual(await published(), [last]);

  await sql`update race set challenged_score = null where race_id = ${raceIds[0] ?? ''}`;
  await until(async () => {
    await clock.advance(3_000);
    return (await published()).length > 1;
  });
});
