import { useState } from 'preact/hooks';
import type { Race, RaceHistory } from '../../../cli/client/schemas.generated.ts';
import { Refused } from '../api.ts';
import { type RaceSplit, splitOf, stacked } from '../emission/race-splits.ts';
import { type ReadHead, useBundleHeads } from '../emission/use-bundle-heads.ts';
import { percentText } from '../format.ts';
import type { PublicEvent } from '../live.ts';
import { Plot, type Scales } from '../parts/plot.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { Payees } from './emission-payees.tsx';

/** A week of race days, each of which costs two requests. */
const racesAtATime = 7;
const racesMax = 100;

const layers = ['top', 'tail', 'burn'] as const;
const layerTexts = { top: 'The top', tail: 'Survivors', burn: 'Burned' } as const;

/** How the emissions of the last races were split, from the bundle that each of them published. */
export function EmissionDays({
  on,
  isShown,
}: {
  readonly on: (event: PublicEvent) => boolean;
  /** Not before what stands above is there; asked for with it. */
  readonly isShown: boolean;
}) {
  const [count, setCount] = useState(racesAtATime);
  const history = useAnswer<RaceHistory>(`/v1/public/races/history?limit=${count}`, { on });
  if (!isShown) return null;
  return (
    <section aria-labelledby="days">
      <h2 id="days">How each race was split</h2>
      <Loaded answer={history} what="past races">
        {({ races, total }) => (
          <>
            <Days races={races} />
            {total > count && count < racesMax && (
              <button
                type="button"
                onClick={() => setCount(Math.min(racesMax, count + racesAtATime))}
              >
                Show earlier races
              </button>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

interface Day {
  readonly race: Race;
  readonly head: ReadHead;
  readonly split: RaceSplit | undefined;
}

function Days({ races }: { readonly races: readonly Race[] }) {
  const paying = races.filter(({ status }) => status === 'RACE_COMPLETE');
  const headOf = useBundleHeads(paying.map(({ race_id: id }) => id));
  const [chosenId, setChosenId] = useState<string>();
  if (paying.length === 0) return <Empty>No race has paid yet: the first one decides.</Empty>;
  const days = paying.map((race): Day => {
    const head = headOf(race.race_id);
    const isRead = head !== undefined && !(head instanceof Refused);
    return { race, head, split: isRead ? splitOf(head) : undefined };
  });
  const chosen =
    days.find(({ race }) => race.race_id === chosenId) ??
    days.find(({ split }) => split !== undefined) ??
    days[0];
  return (
    <>
      <DaysPlot days={days.toReversed()} />
      <label class="bar">
        Who was paid for{' '}
        <select
          value={chosen?.race.race_id ?? ''}
          onChange={(event) => setChosenId(event.currentTarget.value)}
        >
          {days.map(({ race }) => (
            <option key={race.race_id} value={race.race_id}>
              {`race ${race.race_number}, ${dayText(race)}`}
            </option>
          ))}
        </select>
      </label>
      {chosen !== undefined && <Payees race={chosen.race} head={chosen.head} />}
    </>
  );
}

function dayText({ race_completed_at: at }: Race): string {
  const day = { day: 'numeric', month: 'short' } as const;
  return at === null ? '' : new Date(at).toLocaleDateString('en-GB', day);
}

/** @param days the oldest first */
function DaysPlot({ days }: { readonly days: readonly Day[] }) {
  const step = Math.ceil(days.length / racesAtATime);
  return (
    <>
      <Plot
        frame={{
          title: 'Share of each race’s emissions by who got it',
          xRange: [-0.5, days.length - 0.5],
          yRange: [0, 1],
          xTicks: days
            .map(({ race }, at) => ({ at, text: dayText(race) }))
            .filter(({ at }) => at % step === 0),
          yTicks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: percentText(at, 0) })),
        }}
        table={<DaysTable days={days.toReversed()} />}
      >
        {(scales) => days.map((day, at) => <Column key={at} day={day} at={at} scales={scales} />)}
      </Plot>
      <ul class="legend">
        {layers.map((layer) => (
          <li key={layer}>
            <span class={`swatch part-${layer}`} aria-hidden="true" /> {layerTexts[layer]}
          </li>
        ))}
      </ul>
    </>
  );
}

function Column({
  day: { race, split },
  at,
  scales: { x, y },
}: {
  readonly day: Day;
  readonly at: number;
  readonly scales: Scales;
}) {
  if (split === undefined) return null;
  const [left, right] = [x(at - 0.4), x(at + 0.4)];
  return (
    <g class="day">
      {stacked(split, layers).map(({ name, from, until }) => (
        <rect
          key={name}
          class={`part-${name}`}
          x={left}
          y={y(until)}
          width={right - left}
          height={y(from) - y(until)}
        >
          <title>{`Race ${race.race_number}, ${layerTexts[name]}: ${percentText(split[name], 2)}`}</title>
        </rect>
      ))}
    </g>
  );
}

function DaysTable({ days }: { readonly days: readonly Day[] }) {
  const shareColumn = (layer: keyof RaceSplit) => ({
    title: layerTexts[layer],
    isNumber: true,
    cell: ({ split, head }: Day) =>
      split === undefined ? missingText(head) : percentText(split[layer], 2),
  });
  return (
    <Table
      caption="Split of each race, newest first"
      columns={[
        {
          title: 'Race',
          isHead: true,
          cell: ({ race }) => (
            <Link to={addressOf('race', race.race_id)}>Race {race.race_number}</Link>
          ),
        },
        { title: 'Completed', cell: ({ race }) => <When at={race.race_completed_at} /> },
        ...layers.map(shareColumn),
      ]}
      rows={days}
      keyOf={({ race }) => race.race_id}
    />
  );
}

function missingText(head: ReadHead): string {
  if (!(head instanceof Refused)) return '…';
  return head.code === 'RACE_IN_FLIGHT' ? 'not released yet' : 'could not be read';
}
