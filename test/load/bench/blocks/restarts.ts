import { type Block, type Figure, mustBeRight } from '../block.ts';
import {
  measureRestarts,
  type Restart,
  type RestartFigures,
  type Victim,
} from '../faults/measure-restarts.ts';
import { compared, median, read } from '../judge.ts';

const bounds = { must: 1_000, aim: 300, isHigherBetter: false } as const;

/** How long after an edge, the broker or the database is back there are good answers again. */
export const restarts: Block = {
  name: 'restarts',
  goals: [15, 21],
  isQuick: false,
  async run(lab) {
    const plan = { kills: lab.sized(1, 2), coldStarts: lab.sized(3, 5) };
    const found = await measureRestarts(plan);
    mustBeRight(found.wrong);
    return [
      ...killed(found, 'edge', 'heartbeats'),
      ...killed(found, 'NATS', 'heartbeats'),
      ...killed(found, 'NATS', 'claims'),
      ...killed(found, 'Postgres', 'heartbeats'),
      ...killed(found, 'Postgres', 'claims'),
      held(found),
      coldStart(found, 'edge'),
      coldStart(found, 'coordinator'),
    ];
  },
};

function ofVictim({ restarts: all }: RestartFigures, victim: Victim): readonly Restart[] {
  return all.filter((each) => each.victim === victim);
}

function killed(
  found: RestartFigures,
  victim: Victim,
  what: 'claims' | 'heartbeats',
): readonly Figure[] {
  const own = ofVictim(found, victim);
  const down = median(own.map(({ downMs }) => downMs));
  const since = victim === 'edge' ? 'its process was started again' : 'it took connections again';
  return [
    read({
      ...{ goal: 15, what: `${victim} killed, ${what} good again`, unit: 'ms', ...bounds },
      // The worst of all: what must hold is no median.
      values: [
        Math.max(...own.map((each) => (what === 'claims' ? each.claimsMs : each.heartbeatsMs))),
      ],
      note: `worst of ${own.length}, from when ${since}, ${down.toFixed(0)} ms after the kill`,
    }),
  ];
}

function held(found: RestartFigures): Figure {
  const own = ofVictim(found, 'Postgres');
  return read({
    ...{
      goal: 15,
      what: 'heartbeats taken while Postgres is down',
      unit: '',
      isHigherBetter: true,
    },
    values: [Math.min(...own.map(({ heldShare }) => heldShare))],
    aim: 0.99,
    note: `${found.acknowledgedClaims} claims were acknowledged over all kills, none lost`,
  });
}

function coldStart(found: RestartFigures, kind: 'coordinator' | 'edge'): Figure {
  return compared({
    ...{ goal: 21, what: `cold start of the ${kind}`, unit: 'ms', to: 'floor', name: 'bare node' },
    ...{ must: 4, aim: 2.5, isHigherBetter: false },
    pairs: found.coldStarts.map((round) => ({ ours: round[kind], theirs: round.bare })),
    note:
      kind === 'edge'
        ? 'to the first 200 of GET /health'
        : 'to its word that it serves: it has no port',
  });
}
