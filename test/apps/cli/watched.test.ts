import test from 'ava';
import type { AgentVersionStatus } from '../../../apps/cli/client/schemas.generated.ts';
import type { ExitCode } from '../../../apps/cli/exit-code.ts';
import { lineAt } from '../../support/answered-line.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const id = '019a0000-0000-7000-8000-000000000001';
const at = '2026-11-24T20:00:00.000Z';

const queued = {
  ...{ agent_version_id: id, agent_name: 'a', version_number: 1, state: 'QUEUED' },
  ...{ submitted_at: at, discard_reason: null, consecutive_agent_failures: 0 },
  waiting: {
    ...{ phase: null, position: null, reason: null },
    ...{ expected_start_at: null, expected_finish_at: null },
  },
  ...{ live_run_count: 0, eliminated_at: null, eliminated_in_race_number: null },
  ...{ required_successes: 2, included_success_count: 0, failed_run_count: 0, stale_run_count: 0 },
  ...{ qualifying_score: null, final_score: null, is_miner_banned: false },
  ...{ selection_fallback_reason: null, pin_disabled_reason: null },
  timeline: [] as AgentVersionStatus['timeline'],
};
type Look = Partial<typeof queued>;

/** A clock of which every pause is over at once. */
class QuickClock extends ManualClock {
  override async sleep(): Promise<void> {
    await new Promise(setImmediate);
  }
}

/** A whole line whose service says one thing after the other, and from then on the last of them. */
async function watched(answer: string, looks: readonly object[], ...args: readonly string[]) {
  let turn = 0;
  const next = async () => looks[Math.min(turn++, looks.length - 1)];
  const client = { [answer]: next, getPublicAgentVersionsRuns: async () => [] };
  return await lineAt(
    { client: client as never, clock: new QuickClock(Date.parse(at)) },
    ...args,
    '--watch',
  );
}

const versionWatched = (looks: readonly Look[], ...more: readonly string[]) =>
  watched(
    'getPublicAgentVersionsStatus',
    looks.map((look) => ({ ...queued, ...look })),
    ...['status', id, ...more],
  );

const ends: readonly (readonly [string, Look, ExitCode])[] = [
  ['is eligible', { state: 'ELIGIBLE' }, 0],
  ['was discarded', { state: 'DISCARDED', discard_reason: 'copied' as never }, 1],
  ['was cancelled', { state: 'CANCELLED' }, 1],
  ['has a miner who was banned', { is_miner_banned: true }, 1],
];

for (const [what, end, expected] of ends) {
  test(`who watched a version that ${what} is told so by the exit code`, async (t) => {
    for (const more of [[], ['--json']]) {
      const { code, error } = await versionWatched([{}, end], ...more);
      t.is(code, expected, `${more} ${error}`);
    }
  });
}

test('a watched version tells each entry of its timeline once', async (t) => {
  const entry = (event: string) => ({ at, event, detail: null }) as never;
  const [first, second, third] = ['submitted', 'run_claimed', 'run_succeeded'].map(entry);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three');
  const { out } = await versionWatched([
    { timeline: [first] },
    { timeline: [first] },
    { timeline: [first, second] },
    { timeline: [first, second, third], state: 'ELIGIBLE' },
  ]);

  const followed = out.slice(0, out.indexOf('\nTimeline'));
  for (const words of ['submitted', 'run claimed', 'run succeeded']) {
    t.is(followed.match(new RegExp(`^2026-\\S+ \\S+ +${words}$`, 'gm'))?.length, 1, words);
  }
});

test('who watches with --json is told what is new, once', async (t) => {
  const { out } = await versionWatched(
    [{}, {}, { live_run_count: 1 }, { state: 'ELIGIBLE' }],
    '--json',
  );

  const states = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).status);
  t.deepEqual(
    states.map(({ state, live_run_count: live }) => [state, live]),
    [
      ['QUEUED', 0],
      ['QUEUED', 1],
      ['ELIGIBLE', 0],
    ],
  );
});

const race = {
  ...{ race_number: 1, suite_id: 1, race_id: id, status: 'RACE_RUNNING' },
  ...{ qualifying_closes_at: at, qualifier_count: 1, scored_count: 0, qualifying_threshold: 0 },
  ...{ race_started_at: at, race_completed_at: null, projected_completion_at: null },
  ...{ top50_mean: null, top50_std: null, winner_agent_version_id: null, winner_score: null },
  ...{ margin: null, challenged_score: null, promoted_agent_version_id: null, policy: null },
};

for (const [status, expected] of [
  ['RACE_COMPLETE', 0],
  ['RACE_CANCELLED', 1],
] as const) {
  test(`who watched a race to its end is told by the exit code that it is ${status}`, async (t) => {
    for (const more of [[], ['--json']]) {
      const looks = [race, race, { ...race, status }].map((each) => ({
        race: each,
        qualifiers: [],
      }));
      const { code, out } = await watched('getPublicRacesByRaceId', looks, 'race', id, ...more);
      t.is(code, expected, more.join());
      t.is(out.match(/RACE_RUNNING/g)?.length, 1, 'what has not changed is not told again');
    }
  });
}
