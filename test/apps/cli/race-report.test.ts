import test from 'ava';
import type { RaceDetails } from '../../../apps/cli/client/schemas.generated.ts';
import { raceLines } from '../../../apps/cli/race-report.ts';

const closesAt = '2026-11-24T20:00:00.000Z';
const terminal = { style: (_style: string, text: string) => text, columns: 80 };

function closingLine(status: string, nowMs: number): string | undefined {
  const race = {
    ...{ race_number: 1, suite_id: 1, race_id: 'r', status, qualifying_closes_at: closesAt },
    ...{ qualifier_count: 2, scored_count: 0, qualifying_threshold: 0.5 },
    ...{ race_started_at: null, race_completed_at: null, projected_completion_at: null },
    ...{ top50_mean: null, top50_std: null, winner_agent_version_id: null },
  };
  const details = { race, qualifiers: [] } as unknown as RaceDetails;
  return raceLines(details, nowMs, terminal as never).find((line) => line.includes('clos'));
}

test('when a race closes is told as what it is: to come, over, or ordered before its time', (t) => {
  const atMs = Date.parse(closesAt);
  t.regex(closingLine('QUALIFYING_OPEN', atMs - 60_000) ?? '', /^closes +.*\(in 1 min/);
  t.regex(closingLine('RACE_RUNNING', atMs + 60_000) ?? '', /^closed +.*ago\)/);
  t.regex(closingLine('RACE_RUNNING', atMs - 60_000) ?? '', /^closed +by an operator, before /);
});
