import type { ValidatorVariance } from '../../../cli/client/schemas.generated.ts';
import { scoreText, shortKey } from '../format.ts';
import { Plot } from '../parts/plot.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { ticksOf } from '../parts/ticks.ts';
import { Key } from '../parts/words.tsx';

const pointsText = (share: number) => `${(share * 100).toFixed(1)} pp`;

/** How each validator scores against its peers over the same versions: the one thing that is not sealed. */
export function Variance({ variance }: { readonly variance: ValidatorVariance }) {
  const { validators, n_pairs: pairs } = variance;
  if (pairs === 0 || validators.length === 0) {
    return (
      <Empty>
        No version has been judged by two validators yet. They are compared from then on.
      </Empty>
    );
  }
  return (
    <>
      <p>
        Over {pairs} {pairs === 1 ? 'version' : 'versions'} with more than one run, scores lie{' '}
        {scoreText(variance.mean_spread)} apart on average and {scoreText(variance.max_spread)} at
        most.
      </p>
      <DeltaPlot variance={variance} />
      <Table
        caption="How many versions are judged how far apart"
        columns={[
          {
            title: 'Apart by at least',
            isHead: true,
            cell: (bucket) => `${bucket.threshold_pp} pp`,
          },
          { title: 'Versions', isNumber: true, cell: (bucket) => bucket.count },
          { title: 'Share', isNumber: true, cell: (bucket) => `${bucket.pct.toFixed(1)} %` },
        ]}
        rows={variance.spread_buckets}
        keyOf={(bucket) => bucket.threshold_pp}
      />
    </>
  );
}

function DeltaPlot({ variance: { validators } }: { readonly variance: ValidatorVariance }) {
  const ends = validators.flatMap(({ mean_delta_vs_peers: mean, std_dev: std }) => [
    mean - std,
    mean + std,
  ]);
  const far = Math.max(0.01, ...ends.map(Math.abs)) * 1.1;
  const yRange = [-far, far] as const;
  return (
    <Plot
      frame={{
        title: 'Mean difference from peers by validator, with one standard deviation each way',
        xRange: [-0.5, validators.length - 0.5],
        yRange,
        xTicks: validators.map(({ validator_hotkey: hotkey }, at) => ({
          at,
          text: validators.length > 4 ? '' : shortKey(hotkey),
        })),
        yTicks: ticksOf(yRange).map((at) => ({ at, text: pointsText(at) })),
      }}
      table={
        <Table
          caption="Validators of this race against their peers"
          columns={[
            {
              title: 'Validator',
              isHead: true,
              cell: (each) => <Key text={each.validator_hotkey} />,
            },
            { title: 'Versions', isNumber: true, cell: (each) => each.pairs_evaluated },
            {
              title: 'Mean difference',
              isNumber: true,
              cell: (each) => pointsText(each.mean_delta_vs_peers),
            },
            { title: 'Deviation', isNumber: true, cell: (each) => pointsText(each.std_dev) },
            { title: 'Mean score', isNumber: true, cell: (each) => scoreText(each.mean_score) },
          ]}
          rows={validators}
          keyOf={(each) => each.validator_hotkey}
        />
      }
    >
      {({ x, y }) => (
        <>
          <line class="zero" x1={x(-0.5)} x2={x(validators.length - 0.5)} y1={y(0)} y2={y(0)} />
          {validators.map(
            ({ validator_hotkey: hotkey, mean_delta_vs_peers: mean, std_dev: std }, at) => (
              <g key={hotkey} class="whisker">
                <line x1={x(at)} x2={x(at)} y1={y(mean - std)} y2={y(mean + std)} />
                <circle cx={x(at)} cy={y(mean)} r={5} />
              </g>
            ),
          )}
        </>
      )}
    </Plot>
  );
}
