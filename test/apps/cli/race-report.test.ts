import test from 'ava';
import type { RaceDetails } from '../../../apps/cli/client/schemas.generated.ts';
import { raceLines } from '../../../apps/cli/race-report.ts';

const closesAt = '2026-11-24T20:00:00.000Z';
const terminal = { style: (_style: string, text: string) => text, columns: 80 };

const race = {
  ...{ race_number: 1, suite_id: 1, race_id: 'r', qualifying_closes_at: closesAt },
  ...{ qualifier_count: 2, scored_count: 0, qualifying_threshold: 0.5 },
  ...{ race_started_at: null, race_completed_at: null, projected_completion_at: null },
  ...{ top50_mean: null, top50_std: null, winner_agent_version_id: null, winner_score: null },
  ...{ margin: null, challenged_score: null, promoted_agent_version_id: null, policy: null },
};

function linesOf(changes: object, qualifiers: readonly object[] = [], nowMs = 0): string[] {
  const details = { race: { ...race, ...changes }, qualifiers } as unknown as RaceDetails;
  return raceLines(details, nowMs, terminal as never);
}

function closingLine(status: string, nowMs: number): string | undefined {
  return linesOf({ status }, [], nowMs).find((line) => line.includes('clos'));
}

test('when a race closes is told as what it is: to come, over, or ordered before its time', (t) => {
  const atMs = Date.parse(closesAt);
  t.regex(closingLine('QUALIFYING_OPEN', atMs - 60_000) ?? '', /^closes +.*\(in 1 min/);
  t.regex(closingLine('RACE_RUNNING', atMs + 60_000) ?? '', /^closed +.*ago\)/);
  t.regex(closingLine('RACE_RUNNING', atMs - 60_000) ?? '', /^closed +by an operator, before /);
  // Once its time is over too, a race that has run for hours is none that closed an hour ago.
  const startedAt = new Date(atMs - 9 * 3_600_000).toISOString();
  const early = { status: 'RACE_COMPLETE', race_started_at: startedAt };
  const line = linesOf(early, [], atMs + 3_600_000).find((each) => each.startsWith('closed'));
  t.regex(line ?? '', /^closed +by an operator, before .*\(10 h ago\)$/);
});

const complete = {
  ...{ status: 'RACE_COMPLETE', winner_agent_version_id: 'w', winner_score: 0.8712 },
  ...{ challenged_score: 0.85, margin: 0.0312 },
};
const told = (name: string, changes: object) =>
  linesOf(changes)
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length)
    .trim();

test('a race that is over says why its winner became top, or did not', (t) => {
  const top = (changes: object) => told('top', changes);
  t.is(top(complete), 'unchanged, as 0.8712 did not reach the 0.8500 + 0.0312 margin');
  const won = { ...complete, winner_score: 0.8812, promoted_agent_version_id: 'w' };
  t.is(top(won), 'the winner, whose 0.8812 reached the 0.8500 + 0.0312 margin');
  const own = { ...complete, winner_score: 0.85 };
  t.is(top(own), 'unchanged, as nobody reached the 0.8500 + 0.0312 margin');
  t.is(top({ ...won, challenged_score: null, margin: null }), 'the winner, as nobody reigned');
  t.is(top({ status: 'RACE_RUNNING' }), undefined);
  t.is(top({ status: 'RACE_CANCELLED' }), undefined);
});

test('a race that was cancelled says when and why', (t) => {
  const cancelled = (changes: object) =>
    told('cancelled', { status: 'RACE_CANCELLED', ...changes });
  const at = { race_cancelled_at: closesAt };
  t.regex(
    cancelled({ ...at, cancel_reason: 'NO_ENTRANT' }) ?? '',
    /2026-11-24.*: NO_ENTRANT: No version could race when qualifying closed\.$/,
  );
  t.regex(cancelled({ ...at, cancel_reason: 'a leak' }) ?? '', /: a leak$/);
  t.is(cancelled({}), undefined);
  t.is(told('cancelled', { ...complete, race_cancelled_at: null, cancel_reason: null }), undefined);
});

test('a race that is over says by what rules it was run', (t) => {
  const policy = {
    ...{ race_tasks: 90, required_successes_race: 2, elimination_share: 0.65 },
    ...{ score_window_races: 3, emission_baseline_burn_rate: 0.1 },
  };
  t.is(
    told('rules', { ...complete, policy }),
    '2 runs each, of up to 90 tasks; Overall over 3 races; the worst 65 % go; 10 % is burned',
  );
  t.is(told('rules', { status: 'RACE_RUNNING' }), undefined);
});

test('an edge of an older version says nothing of what it does not know', (t) => {
  const absent = ['margin', 'challenged_score', 'promoted_agent_version_id', 'policy'];
  const older = { ...complete, ...Object.fromEntries(absent.map((name) => [name, undefined])) };
  t.is(told('top', older), undefined);
  t.is(told('rules', older), undefined);
  const entrant = { race_rank: 1, agent_name: 'a', miner_hotkey: 'k', version_number: 1 };
  const scores = { qualifying_score: 0.5, race_score: 0.5, weighted_score: 0.5 };
  const names = { qualification_type: 'QUALIFIED', agent_version_id: 'v' };
  const inField = { ...entrant, ...scores, ...names, is_discarded: false, eliminated_at: null };
  t.notThrows(() => linesOf(older, [inField]));
});

test('who has no score is told with why', (t) => {
  const entrant = {
    ...{ race_rank: null, agent_name: 'a', version_number: 1, miner_hotkey: 'k' },
    ...{ qualification_type: 'QUALIFIED', qualifying_score: 0.6, race_score: null },
    ...{ weighted_score: null, is_discarded: false, agent_version_id: 'v' },
  };
  const lastOf = (changes: object) =>
    linesOf(complete, [{ ...entrant, ...changes }]).find((line) => line.endsWith(' v')) ?? '';
  const fault = { eliminated_at: closesAt, unfinished_reason: 'AGENT_FAULT' };
  t.regex(lastOf(fault), / eliminated: agent fault +v$/);
  const late = { eliminated_at: null, unfinished_reason: 'NOT_FINISHED' };
  t.regex(lastOf(late), / no score: not finished +v$/);
  t.regex(lastOf({ eliminated_at: closesAt, unfinished_reason: null }), / eliminated +v$/);
  t.regex(lastOf({ ...fault, is_discarded: true }), / discarded +v$/);
});
