import type { Race } from '../../../cli/client/schemas.generated.ts';
import { Refused } from '../api.ts';
import { type Payee, payeesOf, splitOf } from '../emission/race-splits.ts';
import type { ReadHead } from '../emission/use-bundle-heads.ts';
import { percentText, shortId } from '../format.ts';
import { Plot } from '../parts/plot.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { ticksOf } from '../parts/ticks.ts';
import { Key } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';

/** Above that, names under bars run into each other. */
const namedMax = 6;

/** Each finisher of one race with its part of the emissions. */
export function Payees({ race, head }: { readonly race: Race; readonly head: ReadHead }) {
  if (head === undefined) return <p role="status">Reading the bundle of the race …</p>;
  if (head instanceof Refused) return <Unread race={race} refused={head} />;
  const payees = payeesOf(head);
  const tail = payees.filter(({ seat }) => seat?.seat === 'TAIL');
  const { top, burn } = splitOf(head);
  return (
    <>
      <p>
        Of race {race.race_number} the top got {percentText(top, 2)}, {percentText(burn, 2)} was
        burned, and {countOf(tail.length)} shared the rest.{' '}
        {head.race.policy.burnRateMicro > 0 &&
          `The race ran under a burn rate of ${percentText(head.race.policy.burnRateMicro / 1e6, 2)}.`}
      </p>
      {tail.length === 0 ? (
        <PayeesTable race={race} payees={payees} />
      ) : (
        <TailPlot race={race} tail={tail} payees={payees} />
      )}
    </>
  );
}

function countOf(survivors: number): string {
  return survivors === 1 ? 'one survivor' : `${survivors} survivors`;
}

function Unread({ race, refused }: { readonly race: Race; readonly refused: Refused }) {
  if (refused.code === 'RACE_IN_FLIGHT') {
    return (
      <Empty>Race {race.race_number} is over, but its detail is sealed a few hours longer.</Empty>
    );
  }
  return <Failure failure={refused} what={`the bundle of race ${race.race_number}`} />;
}

function TailPlot({
  race,
  tail,
  payees,
}: {
  readonly race: Race;
  readonly tail: readonly Payee[];
  readonly payees: readonly Payee[];
}) {
  const yRange = [0, (tail[0]?.share ?? 0) * 1.1] as const;
  const step = Math.ceil(tail.length / 10);
  return (
    <Plot
      frame={{
        title: `Share of each survivor of race ${race.race_number}, best first`,
        xRange: [-0.5, tail.length - 0.5],
        yRange,
        xTicks: tail
          .map((payee, at) => ({ at, text: tail.length > namedMax ? `${at + 1}` : nameOf(payee) }))
          .filter(({ at }) => at % step === 0),
        yTicks: ticksOf(yRange).map((at) => ({ at, text: percentText(at, 4) })),
      }}
      table={<PayeesTable race={race} payees={payees} />}
    >
      {({ x, y, bottom }) =>
        tail.map((payee, at) => (
          <rect
            key={payee.agentVersionId}
            class="part-tail"
            x={x(at - 0.4)}
            y={y(payee.share)}
            width={x(at + 0.4) - x(at - 0.4)}
            height={bottom - y(payee.share)}
          >
            <title>{`${nameOf(payee)}: ${percentText(payee.share, 4)}`}</title>
          </rect>
        ))
      }
    </Plot>
  );
}

function nameOf({ agentVersionId, entrant }: Payee): string {
  if (entrant === undefined) return `version ${shortId(agentVersionId)}`;
  return `${entrant.agent_name} v${entrant.version_number}`;
}

const seatTexts = { TOP: 'top', TAIL: 'survivor', BURN: 'burned' } as const;

function whyText({ seat, entrant }: Payee): string {
  if (seat !== undefined) return seatTexts[seat.seat];
  return entrant?.is_eliminated === true ? 'eliminated' : 'paid as the top already';
}

function PayeesTable({ race, payees }: { readonly race: Race; readonly payees: readonly Payee[] }) {
  return (
    <Table
      caption={`Finishers of race ${race.race_number} and what each was paid`}
      columns={[
        {
          title: 'Agent',
          isHead: true,
          cell: (payee) => (
            <Link to={addressOf('version', payee.agentVersionId)}>{nameOf(payee)}</Link>
          ),
        },
        {
          title: 'Miner',
          isMinor: true,
          cell: ({ seat, entrant }) => (
            <Key text={seat?.miner_hotkey ?? entrant?.miner_hotkey ?? ''} />
          ),
        },
        { title: 'Rank', isNumber: true, cell: ({ entrant }) => entrant?.race_rank ?? '–' },
        {
          title: 'Race score',
          isNumber: true,
          cell: ({ entrant }) => entrant?.race_score ?? '–',
        },
        { title: 'As', cell: whyText },
        { title: 'Share', isNumber: true, cell: ({ share }) => percentText(share, 4) },
      ]}
      rows={payees}
      keyOf={({ agentVersionId }) => agentVersionId}
    />
  );
}
