import type { Reign, Top, TopMinerPayout } from '../../../cli/client/schemas.generated.ts';
import { nowMs } from '../clock.ts';
import { instantText, percentText, scoreText } from '../format.ts';
import { Plot, pathOf } from '../parts/plot.tsx';
import { Empty, isSettled, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { ticksOf } from '../parts/ticks.ts';
import { Key, When } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';
import { instantTicks, marginAt, reignSteps } from './emission-curves.ts';
import { EmissionDays } from './emission-days.tsx';

const changesTop = ({ type }: { readonly type: string }) =>
  type === 'top-changed' || type === 'race-completed';

/** The margin falls with time, of which no event tells. */
const decayMs = 60_000;

export function Emissions() {
  useTitle('Emissions');
  const top = useAnswer<Top>('/v1/public/top', { on: changesTop, everyMs: decayMs });
  const payout = useAnswer<TopMinerPayout>('/v1/public/top-miner-payout', { on: changesTop });
  const reigns = useAnswer<readonly Reign[]>('/v1/public/top/history', { on: changesTop });
  return (
    <>
      <h1>Emissions</h1>
      <Loaded answer={top} what="the top">
        {(told) => (
          <>
            <Split top={told} />
            <MarginPlot top={told} />
          </>
        )}
      </Loaded>
      {isSettled(top) && (
        <section aria-labelledby="payout">
          <h2 id="payout">Payout of the top</h2>
          <Loaded answer={payout} what="the payout">
            {(told) => <Payout payout={told} />}
          </Loaded>
        </section>
      )}
      {isSettled(top, payout) && (
        <section aria-labelledby="history">
          <h2 id="history">Who was top</h2>
          <Loaded answer={reigns} what="the history of the top">
            {(told) => <History reigns={told} />}
          </Loaded>
        </section>
      )}
      <EmissionDays on={changesTop} isShown={isSettled(top, payout, reigns)} />
    </>
  );
}

function Split({ top }: { readonly top: Top }) {
  // Survivors are paid out of what is burned: how they share it is known once a race has split it.
  const others = Math.max(0, 1 - top.emission_weight);
  const parts = [
    { name: 'The top', share: top.emission_weight, tone: 'part-top' },
    { name: 'Survivors, and what is burned', share: others, tone: 'part-burn' },
  ];
  if (top.top_agent_version_id === null) {
    return <Empty>There is no top: until a race makes one, its share is burned.</Empty>;
  }
  let x = 0;
  return (
    <section aria-labelledby="split">
      <h2 id="split">The split now</h2>
      <p>
        Top is <Link to={addressOf('version', top.top_agent_version_id)}>this version</Link> of{' '}
        <Key text={top.top_miner_hotkey ?? ''} /> with {scoreText(top.top_score)}; a challenger
        needs {scoreText(top.challenge_threshold)}.
      </p>
      <svg class="split" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, share, tone }) => {
          const start = x;
          x += share * 100;
          return <rect key={name} class={tone} x={start} y={0} width={share * 100} height={8} />;
        })}
      </svg>
      <ul class="legend">
        {parts.map(({ name, share, tone }) => (
          <li key={name}>
            <span class={`swatch ${tone}`} aria-hidden="true" /> {name}: {percentText(share, 2)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const days = 40;

function MarginPlot({ top }: { readonly top: Top }) {
  const { policy } = top;
  const points = Array.from({ length: days + 1 }, (_, x) => ({ x, y: marginAt(policy, x) }));
  const yRange = [0, Math.max(policy.margin_initial, policy.margin_floor, 0.001) * 1.1] as const;
  const age = policy.days_as_top;
  const rows = points.filter(({ x }) => x % 5 === 0);
  return (
    <section aria-labelledby="margin">
      <h2 id="margin">What a challenger must be ahead by</h2>
      <Plot
        frame={{
          title: 'Margin by days of the reign',
          xRange: [0, days],
          yRange,
          xTicks: ticksOf([0, days]).map((at) => ({ at, text: `${at} d` })),
          yTicks: ticksOf(yRange).map((at) => ({ at, text: at.toFixed(3) })),
        }}
        table={
          <Table
            caption="Margin by days of the reign"
            columns={[
              { title: 'Day', isHead: true, cell: ({ x }) => x },
              { title: 'Margin', isNumber: true, cell: ({ y }) => scoreText(y) },
            ]}
            rows={rows}
            keyOf={({ x }) => x}
          />
        }
      >
        {(scales) => (
          <>
            <path class="curve" d={pathOf(points, scales)} />
            {age !== null && (
              <circle
                class="here"
                r={6}
                cx={scales.x(Math.min(age, days))}
                cy={scales.y(marginAt(policy, age))}
              />
            )}
          </>
        )}
      </Plot>
      {age !== null && (
        <p>
          The reign is {age.toFixed(1)} days old: the margin is {scoreText(top.margin)} now.
        </p>
      )}
    </section>
  );
}

function Payout({ payout }: { readonly payout: TopMinerPayout }) {
  if (payout.miner_hotkey === null) return <Empty>Nobody is top.</Empty>;
  const { tao_per_day: tao, usd_per_day: usd } = payout;
  return (
    <dl class="facts">
      <div>
        <dt>TAO per day</dt>
        <dd>{tao === null ? 'not known' : tao.toFixed(4)}</dd>
      </div>
      <div>
        <dt>USD per day</dt>
        <dd>{usd === null ? 'not known' : usd.toFixed(2)}</dd>
      </div>
      <div>
        <dt>Agent</dt>
        <dd>{payout.agent_name}</dd>
      </div>
    </dl>
  );
}

function History({ reigns }: { readonly reigns: readonly Reign[] }) {
  if (reigns.length === 0) return <Empty>Nobody was top yet: the first race decides.</Empty>;
  const now = nowMs();
  const steps = reignSteps(reigns, now);
  const xRange = [Math.min(...steps.map(({ from }) => from)), now] as const;
  const scores = steps.map(({ score }) => score);
  const yRange = [Math.min(...scores) - 0.02, Math.max(...scores) + 0.02] as const;
  return (
    <Plot
      frame={{
        title: 'Score of the top over time',
        xRange,
        yRange,
        xTicks: instantTicks(xRange).map((at) => ({ at, text: tickText(at, xRange) })),
        yTicks: ticksOf(yRange).map((at) => ({ at, text: at.toFixed(2) })),
      }}
      table={<Reigns reigns={reigns} />}
    >
      {({ x, y }) =>
        steps.map(({ from, until, score, name }) => (
          <g key={from} class="reign">
            <title>{`${name}: ${scoreText(score)} from ${instantText(new Date(from).toISOString())}`}</title>
            <line x1={x(from)} x2={x(until)} y1={y(score)} y2={y(score)} />
            <circle cx={x(from)} cy={y(score)} r={4} />
          </g>
        ))
      }
    </Plot>
  );
}

const dayMs = 86_400_000;

/** Days, or times of day where all is younger than that. */
function tickText(at: number, [from, until]: readonly [number, number]): string {
  return until - from < 2 * dayMs
    ? new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

function Reigns({ reigns }: { readonly reigns: readonly Reign[] }) {
  return (
    <Table
      caption="All reigns, newest first"
      columns={[
        {
          title: 'Agent',
          isHead: true,
          cell: (each) => (
            <Link to={addressOf('version', each.agent_version_id)}>
              {each.agent_name} v{each.version_number}
            </Link>
          ),
        },
        { title: 'Score', isNumber: true, cell: (each) => scoreText(each.score) },
        { title: 'Race', cell: (each) => <Link to={addressOf('race', each.race_id)}>Race</Link> },
        { title: 'From', cell: (each) => <When at={each.top_at} /> },
        {
          title: 'Until',
          cell: (each) => (each.ended_at === null ? 'now' : <When at={each.ended_at} />),
        },
      ]}
      rows={reigns}
      keyOf={(each) => `${each.agent_version_id} ${each.top_at}`}
    />
  );
}
