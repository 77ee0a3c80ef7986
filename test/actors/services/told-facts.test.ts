import test from 'ava';
import { projectFact } from '../../../actors/services/projector/project-fact.ts';

const terms = { codePrivateMs: 432_000_000 };
const at = Date.UTC(2026, 10, 24, 20);
const ids = Object.fromEntries(
  ['version', 'run', 'race', 'winner', 'promoted'].map((name, index) => [
    name,
    `019a0000-0000-7000-8000-00000000000${index}`,
  ]),
) as Readonly<Record<'version' | 'run' | 'race' | 'winner' | 'promoted', string>>;

const projected = (name: string, body: object) =>
  projectFact({ subject: `fact.${name}`, msgId: 'message', body: { at, ...body } }, terms);

const version = {
  ...{ agentVersionId: ids.version, agentName: 'Zürich', minerHotkey: 'miner', suiteId: 7 },
};
const toldVersion = {
  ...{ agent_version_id: ids.version, agent_name: 'Zürich', miner_hotkey: 'miner', suite_id: 7 },
};
const run = {
  ...{ evalRunId: ids.run, agentVersionId: ids.version, suiteId: 7, phase: 'QUALIFYING' },
  ...{ raceId: null, validatorHotkey: 'validator' },
};
const toldRun = {
  ...{ eval_run_id: ids.run, agent_version_id: ids.version, suite_id: 7, phase: 'QUALIFYING' },
  ...{ race_id: null, validator_hotkey: 'validator' },
};
const race = { raceId: ids.race, suiteId: 7, raceNumber: 12 };
const toldRace = { race_id: ids.race, suite_id: 7, race_number: 12 };

/** Each number and each id of a fact is another one than all others, so that none can stand in another's place. */
const facts: readonly (readonly [name: string, fact: object, told: object])[] = [
  ['submission-accepted', version, toldVersion],
  [
    'version-eligible',
    { ...version, qualifyingScore: '0.7003' },
    { ...toldVersion, qualifying_score: 0.7003 },
  ],
  [
    'version-eligible',
    { ...version, qualifyingScore: null },
    { ...toldVersion, qualifying_score: null },
  ],
  ['run-claimed', run, toldRun],
  [
    'run-ended',
    { ...run, status: 'SUCCESS', scoreMicro: 700_001 },
    { ...toldRun, status: 'SUCCESS', validator_score: 0.700001 },
  ],
  [
    'run-ended',
    { ...run, status: 'FAILED', scoreMicro: null },
    { ...toldRun, status: 'FAILED', validator_score: null },
  ],
  [
    'race-opened',
    { ...race, qualifyingClosesAt: at + 86_400_000 },
    { ...toldRace, qualifying_closes_at: '2026-11-25T20:00:00.000Z' },
  ],
  ['race-closed', { ...race, qualifierCount: 341 }, { ...toldRace, qualifier_count: 341 }],
  ['race-started', { ...race, entrantCount: 342 }, { ...toldRace, qualifier_count: 342 }],
  [
    'race-completed',
    {
      ...{ ...race, scoredCount: 340, winnerAgentVersionId: ids.winner, winnerScore: '0.8712' },
      ...{ promotedAgentVersionId: null, releasedAt: at + 3_600_000 },
    },
    {
      ...{ ...toldRace, scored_count: 340, winner_agent_version_id: ids.winner },
      ...{ winner_score: 0.8712, promoted_agent_version_id: null },
      released_at: '2026-11-24T21:00:00.000Z',
    },
  ],
  [
    'race-completed',
    {
      ...{ ...race, scoredCount: 340, winnerAgentVersionId: ids.winner, winnerScore: '-0.2' },
      ...{ promotedAgentVersionId: ids.promoted, releasedAt: at },
    },
    {
      ...{ ...toldRace, scored_count: 340, winner_agent_version_id: ids.winner },
      ...{ winner_score: -0.2, promoted_agent_version_id: ids.promoted },
      released_at: '2026-11-24T20:00:00.000Z',
    },
  ],
  ['race-cancelled', { ...race, reason: 'a leak' }, { ...toldRace, reason: 'a leak' }],
  [
    'top-changed',
    {
      ...{ suiteId: 7, raceId: ids.race, agentVersionId: ids.version, minerHotkey: 'miner' },
      ...{ score: '0.8712', reason: null },
    },
    {
      ...{ suite_id: 7, race_id: ids.race, agent_version_id: ids.version, miner_hotkey: 'miner' },
      ...{ score: 0.8712, reason: null },
    },
  ],
];

for (const [name, fact, told] of facts) {
  test(`${name} says to the public what the fact says, and nothing else: ${JSON.stringify(told)}`, (t) => {
    const { tidings } = projected(name, { ...fact, secret: 'peculiar' });

    t.deepEqual(tidings?.body as object, told);
    t.like(tidings, { type: name, atMs: at });
  });
}

test('what is released later is planned for its time, and for no other', (t) => {
  const releaseOf = (name: string, body: object) => projected(name, body).release;
  const code = { kind: 'CODE', id: ids.version } as const;
  t.deepEqual(releaseOf('submission-accepted', version), {
    ...code,
    ...{ dueMs: at + 432_000_000, reason: 'AGED' },
  });
  const crowned = { suiteId: 7, raceId: null, minerHotkey: null, score: null };
  t.deepEqual(releaseOf('top-changed', { ...crowned, agentVersionId: ids.version }), {
    ...code,
    ...{ dueMs: at, reason: 'TOP' },
  });
  t.is(releaseOf('top-changed', { ...crowned, agentVersionId: null }), undefined);
  const [, completed] = facts.find(([name]) => name === 'race-completed') ?? [];
  const runs = { kind: 'RACE', id: ids.race, reason: null } as const;
  t.deepEqual(releaseOf('race-completed', completed ?? {}), { ...runs, dueMs: at + 3_600_000 });
  t.deepEqual(releaseOf('race-cancelled', { ...race, reason: null }), { ...runs, dueMs: at });
});
