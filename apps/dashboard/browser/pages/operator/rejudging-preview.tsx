import { explained } from '../../../../../machines/reasons/explained.ts';
import type { Rejudging } from '../../../../cli/client/schemas.generated.ts';
import { scoreText, shortId, unitsText } from '../../format.ts';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Key, State } from '../../parts/words.tsx';
import { addressOf, Link } from '../../router.tsx';

interface Both<T> {
  readonly before: T;
  readonly after: T;
}

/** What applying would change of scores, ranks and payout, before anything is. */
export function RejudgingPreview({ rejudging }: { readonly rejudging: Rejudging }) {
  const { difference, items } = rejudging;
  return (
    <>
      <p>
        <State of={rejudging.status} /> {rejudging.runs.evaluated} of {rejudging.runs.selected} runs
        are judged, {rejudging.runs.failed} came to nothing.
        {rejudging.end_reason !== null && ` It ended: ${rejudging.end_reason}`}
      </p>
      <Table
        caption="Runs to be judged again"
        columns={[
          {
            title: 'Run',
            isHead: true,
            cell: (each) => (
              <Link to={addressOf('run', each.eval_run_id)}>{shortId(each.eval_run_id)}</Link>
            ),
          },
          { title: 'Agent', cell: (each) => each.agent_name },
          { title: 'Validator', cell: (each) => <Key text={each.validator_hotkey} /> },
          { title: 'State', cell: (each) => <State of={each.status} /> },
          { title: 'Score was', isNumber: true, cell: (each) => scoreText(each.validator_score) },
          {
            title: 'Would be',
            isNumber: true,
            cell: (each) => scoreText(each.new_run?.validator_score),
          },
          { title: 'Why not yet', cell: waitingText },
        ]}
        rows={items}
        keyOf={(each) => each.eval_run_id}
      />
      {difference.versions.length === 0 ? (
        <Empty>{unchangedText(rejudging)}</Empty>
      ) : (
        <Table
          caption="Qualifying scores and ranks of those judged again"
          columns={[
            {
              title: 'Version',
              isHead: true,
              cell: (each) => (
                <Link to={addressOf('version', each.agent_version_id)}>
                  {shortId(each.agent_version_id)}
                </Link>
              ),
            },
            { title: 'Score', cell: (each) => changeText(each.qualifying_score, scoreText) },
            { title: 'Rank', cell: (each) => changeText(each.qualifying_rank, rankText) },
          ]}
          rows={difference.versions}
          keyOf={(each) => each.agent_version_id}
        />
      )}
      {difference.shifted_count > 0 && <p>{shiftedText(difference.shifted_count)}</p>}
      {difference.races.map((race) => (
        <RaceDifference key={race.race_id} race={race} />
      ))}
    </>
  );
}

function unchangedText({ runs }: Rejudging): string {
  return runs.evaluated === 0
    ? 'Nothing is judged yet, so nothing changes so far.'
    : 'No qualifying score changes.';
}

function shiftedText(count: number): string {
  return `${count} other ${count === 1 ? 'version' : 'versions'} would have another rank.`;
}

function waitingText(item: Rejudging['items'][number]): string {
  if (item.reason !== null) return explained('items.reason', item.reason);
  if (item.waiting === null) return '–';
  const { hold_reason: held, able_validators: able } = item.waiting;
  return held === null ? `${able} validators may take it` : explained('hold_reason', held);
}

type RaceOf = Rejudging['difference']['races'][number];
type Payout = RaceOf['burn']['before'];

function RaceDifference({ race }: { readonly race: RaceOf }) {
  return (
    <>
      <Table
        caption={`Race ${race.race_number}, whose result stands: what it would have come to`}
        columns={[
          {
            title: 'Version',
            isHead: true,
            cell: ({ agent_version_id: id }) => (
              <Link to={addressOf('version', id)}>{shortId(id)}</Link>
            ),
          },
          { title: 'Race score', cell: (each) => changeText(each.race_score, scoreText) },
          { title: 'Overall', cell: (each) => changeText(each.weighted_score, scoreText) },
          { title: 'Rank', cell: (each) => changeText(each.race_rank, rankText) },
          {
            title: 'Eliminated',
            cell: (each) => changeText(each.is_eliminated, (isOut) => (isOut ? 'yes' : 'no')),
          },
          { title: 'Payout', cell: (each) => changeText(each.payout, shareText) },
          { title: 'TAO a day', cell: (each) => changeText(each.payout, taoText) },
          { title: 'USD a day', cell: (each) => changeText(each.payout, usdText) },
        ]}
        rows={race.entrants}
        keyOf={(each) => each.agent_version_id}
      />
      <p>
        Winner: {changeText(race.winner_agent_version_id, idText)}. Top:{' '}
        {changeText(race.top_agent_version_id, idText)}. Burned: {changeText(race.burn, shareText)},{' '}
        {changeText(race.burn, taoText)} TAO a day. What the race paid stands, whatever is applied.
      </p>
    </>
  );
}

function shareText({ units }: Payout): string {
  return unitsText(units);
}

/** Not known where no price is configured. */
function taoText({ tao_per_day: tao }: Payout): string {
  return tao?.toFixed(4) ?? '–';
}

function usdText({ usd_per_day: usd }: Payout): string {
  return usd?.toFixed(2) ?? '–';
}

function idText(id: string | null): string {
  return id === null ? 'nobody' : shortId(id);
}

function rankText(rank: number | null): string {
  return rank === null ? '–' : String(rank);
}

function changeText<T>({ before, after }: Both<T>, told: (value: T) => string): string {
  const [was, becomes] = [told(before), told(after)];
  return was === becomes ? was : `${was} → ${becomes}`;
}
