import { explained } from '../../../../machines/reasons/explained.ts';
import { rulesText, topText } from '../../../../machines/reasons/outcome-texts.ts';
import type {
  Race,
  RaceDetails,
  RaceHistory,
  ValidatorVariance,
} from '../../../cli/client/schemas.generated.ts';
import { countdownText, countText, scoreText, wordsOf } from '../format.ts';
import type { PublicEvent } from '../live.ts';
import { Pager } from '../parts/pager.tsx';
import { Empty, isSettled, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { State, When } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';
import { type Answer, useAnswer } from '../use-answer.ts';
import { useNow } from '../use-now.ts';
import { useTitle } from '../use-title.ts';
import { Field } from './race-field.tsx';
import { Variance } from './race-variance.tsx';

const historySize = 20;

/** The race that is on now, or the one with the id. */
export function RacePage({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const on = ({ type }: PublicEvent) => type.startsWith('race-') || type === 'run-ended';
  const path = id === '' ? '/v1/public/races/current' : `/v1/public/races/${id}`;
  const answer = useAnswer<RaceDetails>(path, { on, everyMs: 15_000 });
  const race = answer.value?.race;
  useTitle(race === undefined || race === null ? 'Race' : `Race ${race.race_number}`);
  const isVaried = race?.status === 'RACE_RUNNING' || race?.status === 'RACE_COMPLETE';
  const variancePath = isVaried ? `/v1/public/races/${race.race_id}/validator-variance` : undefined;
  const variance = useAnswer<ValidatorVariance>(variancePath, { everyMs: 30_000 });
  const page = Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1);
  const past = useAnswer<RaceHistory>(
    `/v1/public/races/history?limit=${historySize}&offset=${(page - 1) * historySize}`,
    { on: ({ type }) => type === 'race-completed' || type === 'race-cancelled' },
  );
  return (
    <>
      {answer.value === undefined && <h1>Race</h1>}
      <Loaded answer={answer} what="the race">
        {(details) =>
          details.race === null ? (
            <>
              <h1>Race</h1>
              <Empty>No race is open: the first one opens when a suite is activated.</Empty>
            </>
          ) : (
            <Shown
              race={details.race}
              details={details}
              variance={isVaried ? variance : undefined}
            />
          )
        }
      </Loaded>
      {isSettled(answer, ...(isVaried ? [variance] : [])) && (
        <PastRaces answer={past} page={page} raceId={id} />
      )}
    </>
  );
}

function Shown({
  race,
  details,
  variance,
}: {
  readonly race: Race;
  readonly details: RaceDetails;
  /** Once there are runs of several validators. */
  readonly variance: Answer<ValidatorVariance> | undefined;
}) {
  return (
    <>
      <h1>
        Race {race.race_number} <State of={race.status} />
      </h1>
      <Countdown race={race} />
      <dl class="facts">
        <div>
          <dt>Field</dt>
          <dd>{countText(race.qualifier_count)}</dd>
        </div>
        <div>
          <dt>Done</dt>
          <dd>{countText(race.scored_count)}</dd>
        </div>
        <div>
          <dt>Threshold</dt>
          <dd>{scoreText(race.qualifying_threshold)}</dd>
        </div>
        <div>
          <dt>Winner</dt>
          <dd>
            <Winner race={race} />
          </dd>
        </div>
      </dl>
      <Outcome race={race} />
      <Field race={race} qualifiers={details.qualifiers} />
      {variance !== undefined && (
        <section aria-labelledby="variance">
          <h2 id="variance">How far validators differ</h2>
          <Loaded answer={variance} what="the validators’ differences">
            {(told) => <Variance variance={told} />}
          </Loaded>
        </section>
      )}
    </>
  );
}

const noWinnerTexts: Readonly<Record<string, string>> = {
  RACE_RUNNING: 'sealed until the end',
  RACE_CANCELLED: 'nobody',
};

function Winner({ race }: { readonly race: Race }) {
  if (race.winner_agent_version_id === null) {
    return <>{noWinnerTexts[race.status] ?? 'not yet known'}</>;
  }
  return (
    <Link to={addressOf('version', race.winner_agent_version_id)}>
      {race.winner_agent_name} ({scoreText(race.winner_score)})
    </Link>
  );
}

/** Nothing before the end. */
function Outcome({ race }: { readonly race: Race }) {
  const top = topText(race);
  const rules = rulesText(race);
  return (
    <>
      {top !== null && (
        <p>
          The top: <strong>{top}</strong>.
        </p>
      )}
      {rules !== null && <p class="muted">Its rules: {rules}.</p>}
    </>
  );
}

/** An edge of an older version does not say when a race was cancelled. */
function endedAt({ race_completed_at: completedAt, race_cancelled_at: cancelledAt }: Race) {
  return completedAt ?? cancelledAt ?? null;
}

function Countdown({ race }: { readonly race: Race }) {
  const now = useNow(1_000);
  const { status, qualifying_closes_at: closesAt, projected_completion_at: projectedAt } = race;
  const cancelReason = race.cancel_reason ?? null;
  if (status === 'QUALIFYING_OPEN') {
    return (
      <p class="countdown">
        Qualifying closes in{' '}
        <strong role="timer">{countdownText(Date.parse(closesAt), now)}</strong>{' '}
        <When at={closesAt} />
      </p>
    );
  }
  if (status === 'QUALIFYING_CLOSED')
    return <p class="countdown">The field is fixed; it starts soon.</p>;
  if (status === 'RACE_COMPLETE' || status === 'RACE_CANCELLED') {
    return (
      <p class="countdown">
        {wordsOf(status)} <When at={endedAt(race)} />
        {cancelReason !== null && <>: {explained('cancel_reason', cancelReason)}</>}
      </p>
    );
  }
  const share = race.qualifier_count === 0 ? 0 : race.scored_count / race.qualifier_count;
  return (
    <div class="countdown">
      <label>
        {race.scored_count} of {race.qualifier_count} are evaluated{' '}
        <progress value={share} max={1} />
      </label>
      {projectedAt !== null && (
        <p>
          Likely over in <strong role="timer">{countdownText(Date.parse(projectedAt), now)}</strong>
          . All scores are sealed until then.
        </p>
      )}
    </div>
  );
}

function PastRaces({
  answer,
  page,
  raceId,
}: {
  readonly answer: Answer<RaceHistory>;
  readonly page: number;
  readonly raceId: string;
}) {
  const addressOfPage = (to: number) => {
    const query = { page: to === 1 ? undefined : to };
    return raceId === '' ? addressOf('races', '', query) : addressOf('race', raceId, query);
  };
  return (
    <section aria-labelledby="past">
      <h2 id="past">Past races</h2>
      <Loaded answer={answer} what="past races">
        {({ races, total }) =>
          races.length === 0 ? (
            <Empty>No race is over yet. Each is listed here once it is.</Empty>
          ) : (
            <>
              <PastTable races={races} />
              <Pager
                page={page}
                pageCount={Math.ceil(total / historySize)}
                addressOfPage={addressOfPage}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function PastTable({ races }: { readonly races: readonly Race[] }) {
  return (
    <Table
      caption="Completed and cancelled races, most recent first"
      isCaptionHidden
      columns={[
        {
          title: 'Race',
          isHead: true,
          cell: (race) => <Link to={addressOf('race', race.race_id)}>Race {race.race_number}</Link>,
        },
        { title: 'State', cell: (race) => <State of={race.status} /> },
        { title: 'Field', isNumber: true, cell: (race) => countText(race.qualifier_count) },
        { title: 'Winner', cell: (race) => <Winner race={race} /> },
        {
          title: 'Best half',
          isNumber: true,
          isMinor: true,
          cell: (race) => scoreText(race.top50_mean),
        },
        { title: 'Ended', isMinor: true, cell: (race) => <When at={endedAt(race)} /> },
      ]}
      rows={races}
      keyOf={(race) => race.race_id}
    />
  );
}
