import test from 'ava';
import { migrate } from '../../../infra/postgres/migrate.ts';
import { eventText, publicEvent, type StoredEvent } from '../../../machines/feed/public-event.ts';
import { emptyDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addVersion, trialId } from '../../support/trial-races.ts';

const atMs = Date.UTC(2026, 5, 1, 12, 30, 15, 250);
const version = (name: string) => ({
  agentVersionId: trialId(name),
  agentName: name,
  minerHotkey: name,
  suiteId: 1,
  at: atMs,
});
const run = (name: string, fields: object) => ({
  evalRunId: trialId(name),
  agentVersionId: trialId('first'),
  suiteId: 1,
  validatorHotkey: 'judge',
  at: atMs,
  ...fields,
});
const race = { raceId: trialId('race'), suiteId: 1, raceNumber: 1, at: atMs };
const qualifying = { phase: 'QUALIFYING', raceId: null };
const sealed = { phase: 'RACE', raceId: race.raceId };

/** As the projector wrote facts before. */
const former: readonly (readonly [type: string, body: object])[] = [
  ['submission-accepted', version('first')],
  ['work-item-closed', { ...version('first'), workItemId: trialId('work') }],
  ['run-claimed', run('a', qualifying)],
  ['run-started', run('a', qualifying)],
  ['run-ended', run('a', { ...qualifying, status: 'SUCCESS' })],
  ['version-eligible', { ...version('first'), qualifyingScore: '0.7000' }],
  ['version-discarded', { ...version('first'), reason: 'peculiar' }],
  ['race-opened', { ...race, qualifyingClosesAt: atMs + 1 }],
  ['race-closed', { ...race, qualifierCount: 3 }],
  ['race-started', { ...race, entrantCount: 3, deadlineAt: atMs }],
  ['run-claimed', run('b', sealed)],
  ['run-ended', run('b', { ...sealed, status: null })],
  [
    'race-completed',
    {
      ...{ ...race, scoredCount: 3, releasedAt: atMs + 60_000, promotedAgentVersionId: null },
      ...{ winnerAgentVersionId: trialId('first'), winnerScore: '0.6543' },
    },
  ],
  ['race-cancelled', { ...race, raceNumber: 2, reason: null }],
  [
    'top-changed',
    { suiteId: 1, raceId: null, agentVersionId: null, minerHotkey: null, score: null, at: atMs },
  ],
];

test('what was kept before becomes a feed of public facts without a gap', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 15);
  const suiteId = await addActiveSuite(sql);
  for (const name of ['first', 'second']) await addVersion(sql, suiteId, name);
  for (const [index, [type, body]] of former.entries()) {
    await sql`
      insert into public_event (cursor, msg_id, type, body, at)
      values (${index + 1}, ${`message ${index}`}, ${type}, ${JSON.stringify(body)}::text::jsonb,
              now())`;
  }
  await migrate(url, 16);

  const rows = await sql<StoredEvent[]>`
    select cursor::int as cursor, type, body, extract(epoch from at)::float8 * 1000 as "atMs"
    from public_event order by cursor`;
  const feed = rows.map((row) => publicEvent.parse(JSON.parse(eventText(row))));
  // And nothing beside it.
  t.deepEqual(
    feed,
    rows.map((row) => JSON.parse(eventText(row))),
  );
  t.deepEqual(
    feed.map(({ cursor, type }) => [cursor, type]),
    former
      .filter(([type]) => !/closed$|started$|discarded$/.test(type) || /^race/.test(type))
      .filter(([type, body]) => type !== 'run-ended' || !('raceId' in body && body.raceId !== null))
      .map(([type], index) => [index + 1, type]),
  );
  t.true(feed.every((event) => Date.parse(event.at) === atMs));
  t.like(
    feed.find(({ type }) => type === 'race-completed'),
    { winner_score: 0.6543, released_at: new Date(atMs + 60_000).toISOString() },
  );
  t.like(feed[2], { type: 'run-ended', status: 'SUCCESS', validator_score: null });
  const keys = await sql`select msg_id as key from public_event where type = 'run-ended'`;
  t.deepEqual(
    keys.map(({ key }) => key),
    [`run-ended:${trialId('a')}`],
  );
  const releases = await sql`select kind, reason, told_at as "toldAt" from public_release`;
  t.deepEqual(
    releases.map((each) => ({ ...each })),
    Array.from({ length: 2 }, () => ({ kind: 'CODE', reason: 'AGED', toldAt: null })),
  );
});
