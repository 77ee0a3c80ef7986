import { alternate } from '../alternate.ts';
import { notGood } from '../asking.ts';
import { type Block, mustBeRight } from '../block.ts';
import { compared, read } from '../judge.ts';
import type { Lab } from '../lab.ts';
import { measureRace, type Standings } from '../measure-race.ts';
import { startPartner } from '../partner-process.ts';
import type { PlainServerPlan } from '../plain-server.ts';

const plans = {
  quick: { entrants: 20, hotkeys: 60, tasks: 10, validators: 16 },
  full: { entrants: 342, hotkeys: 1_000, tasks: 90, validators: 64 },
};

/** What the end of qualifying, the end of a race and the standings of a new epoch cost. */
export const race: Block = {
  name: 'race',
  goals: [17],
  isQuick: false,
  async run(lab) {
    const plan = lab.sized(plans.quick, plans.full);
    const { entrants, hotkeys, tasks, validators } = plan;
    const found = await measureRace(plan, (standings) => besideEcho(lab, standings));
    const took = (what: string, ms: number) =>
      read({ goal: null, what, unit: 'ms', values: [ms], isHigherBetter: false });
    return [
      took(`a race closes, ${entrants} hotkeys`, found.smallCloseMs),
      took(`a race closes, ${hotkeys} hotkeys`, found.largeCloseMs),
      took(`a race completes, ${entrants} x 2 x ${tasks}`, found.completionMs),
      took(`first standings of an epoch, ${validators} at once`, found.firstStandingsMs),
      compared({
        ...{ goal: 17, what: `standings, ${validators} validators`, unit: '/s', to: 'floor' },
        ...{ name: 'express', must: 0.7, aim: 0.9, isHigherBetter: true },
        pairs: found.asked.map(({ ours, theirs }) => ({
          ours: ours.perSecond,
          theirs: theirs.perSecond,
        })),
        note: `by session; p99 ${found.asked.at(-1)?.ours.p99Ms.toFixed(1)} ms; all were told the same bytes`,
      }),
    ];
  },
};

/** A server that only answers the same bytes. */
async function besideEcho(lab: Lab, { world, questions, body }: Standings) {
  const asker = await lab.asker();
  const plan: PlainServerPlan = { kind: 'express', body };
  await using plain = await startPartner<never, never, string>('plain-server.ts', plan);
  const ask = (baseUrl: string) => async () => {
    const asked = await asker.ask({
      ...{ baseUrls: [baseUrl], questions, connections: questions.length },
      seconds: lab.sized(0.8, 1),
    });
    mustBeRight(notGood(asked));
    return { perSecond: asked.count / asked.seconds, p99Ms: asked.latency.quantileMs(0.99) };
  };
  const sides = { ours: ask(world.service.baseUrls[0]), theirs: ask(plain.ready) };
  await alternate(1, sides);
  return await alternate(lab.rounds, sides);
}
