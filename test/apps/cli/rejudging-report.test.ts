import test from 'ava';
import { answeredLine } from '../../support/answered-line.ts';

const both = <T>(before: T, after: T) => ({ before, after });
const item = {
  ...{ eval_run_id: 'r', agent_name: 'a', validator_hotkey: '5F', status: 'DONE' },
  ...{ validator_score: 0.4012, new_run: { validator_score: 0.7503 } },
  ...{ reason: null, waiting: null },
};
const entrant = {
  ...{ agent_version_id: 'v', race_score: both(0.61, 0.62), weighted_score: both(0.63, 0.64) },
  ...{ race_rank: both(5, 2), is_eliminated: both(true, false) },
  payout: both(
    { units: '0', tao_per_day: 0, usd_per_day: null },
    { units: '750000000000000000', tao_per_day: 7.5, usd_per_day: null },
  ),
};
const unpaid = { units: '250000000000000000', tao_per_day: 2.5, usd_per_day: null };
const race = {
  ...{ race_number: 7, entrants: [entrant], burn: both(unpaid, unpaid) },
  winner_agent_version_id: both('w', 'v'),
  top_agent_version_id: both(null, 'v'),
};
const rejudging = {
  ...{ rejudging_id: 'j', status: 'READY', end_reason: null, items: [item] },
  runs: { selected: 9, evaluated: 6, failed: 2, applied: 1 },
  difference: {
    versions: [
      { agent_version_id: 'q', qualifying_score: both(0.4, null), qualifying_rank: both(3, null) },
    ],
    ...{ shifted_count: 1, races: [race] },
  },
};

test('what a rejudging would change is told from what is to what would be', async (t) => {
  const answers = { getAdminRejudgingsByRejudgingId: rejudging };
  const { code, out } = await answeredLine(answers, 'operator', 'rejudging', 'j');

  t.is(code, 0);
  t.regex(out, /^9 runs selected, 6 judged, 2 came to nothing, 1 applied$/m);
  t.regex(out, /^RUN +AGENT +VALIDATOR +STATE +SCORE WAS +WOULD BE +WHY NOT$/m);
  t.regex(out, /^r +a +5F +DONE +0\.4012 +0\.7503 +–$/m);
  t.regex(out, /^q +0\.4000 → – +3 → –$/m);
  t.regex(out, /^1 other version would have another rank$/m);
  t.regex(
    out,
    /^v +0\.6100 → 0\.6200 +0\.6300 → 0\.6400 +5 → 2 +yes → no +0\.00 % → 75\.00 % +0\.0000 → 7\.5000 +–$/m,
  );
  t.regex(out, /^burned +25\.00 % +2\.5000 +–$/m);
  t.regex(out, /^winner w → v, top nobody → v$/m);
  t.regex(
    out,
    /^Next: "paddock operator apply-rejudging j", or "paddock operator cancel-rejudging j /m,
  );
});
