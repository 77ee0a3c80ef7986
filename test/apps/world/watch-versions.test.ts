import test from 'ava';
import { Refusal } from '../../../apps/cli/client/refusal.ts';
import { untilJudged, type Watching } from '../../../apps/world/demo/watch-versions.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const tooMany = new Refusal(
  'GET /status',
  { status: 429, headers: new Headers({ 'retry-after': '7' }) },
  { detail: 'Too many requests.', error_code: 'RATE_LIMITED' },
);

/** Two versions with their verdicts; every other look is refused. */
function watched(deadlineMs: number) {
  const clock = new ManualClock();
  const looks: [id: string, atMs: number][] = [];
  const api = {
    getPublicAgentVersionsStatus: async ({
      agent_version_id: id,
    }: {
      agent_version_id: string;
    }) => {
      looks.push([id, clock.monotonicMs()]);
      if (looks.length % 2 === 1) throw tooMany;
      return { state: 'ELIGIBLE' };
    },
  };
  const story = { silentRuns: [], isSomebodyAbsent: false };
  const watching = {
    ...{ operator: { api }, clock, story, waiting: new Set(['a', 'b']), lookAtRuns: undefined },
    ...{ isSubmitting: () => false, deadlineMs, signal: new AbortController().signal },
  } as unknown as Watching;
  return { clock, looks, judged: untilJudged(watching) };
}

test('who is told to come again looks at the same version then, and at the others after it', async (t) => {
  const { clock, looks, judged } = watched(60_000);

  await clock.advance(250);
  for (let count = 0; count < 2; count += 1) await clock.advance(7_000);

  t.true(await judged);
  t.deepEqual(looks, [
    ['a', 250],
    ['a', 7_250],
    ['b', 7_250],
    ['b', 14_250],
  ]);
});

test('no pause outlasts the time that there is', async (t) => {
  const { clock, looks, judged } = watched(1_000);

  await clock.advance(250);
  await clock.advance(750);
  await clock.advance(250);

  t.true(await judged);
  t.deepEqual(looks.at(1), ['a', 1_000]);
});
