import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { minerName } from '../demo/names.ts';
import { prepareDemoSuite } from '../demo/prepare-suite.ts';
import { type OperatorClient, operatorClient } from '../operator-client.ts';
import { participantKeypair } from '../participants/keys.ts';
import { sayKept } from '../serving.ts';
import type { RunningService } from '../start-service.ts';
import { type Terminal, table } from '../terminal.ts';
import type { World } from '../world.ts';
import type { RaceDetails } from './race-answers.ts';
import { playDay } from './race-day.ts';
import { agentOf, fixed } from './say-race.ts';
import { SimulatedTime } from './simulated-time.ts';

export interface DaysOptions {
  readonly miners: number;
  readonly validators: number;
  readonly seed: number;
  readonly baseUrls: readonly string[];
  readonly operator: OperatorClient;
  readonly time: SimulatedTime;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * What a play of race days sets where the environment does not.
 *
 * 1. The clock moves by order, so that a day takes seconds.
 * 2. A threshold that most of the demo's agents pass: a race needs a field.
 * 3. A third of a race's tasks, so that a day takes seconds.
 */
export const daysDefaults: Readonly<Record<string, string>> = {
  CLOCK: 'simulated',
  QUALIFYING_THRESHOLD: '0.30',
  RACE_TASKS: '30',
};

/** Plays whole race days on a simulated clock and tells them; the exit code. */
export async function playDays(
  world: World,
  service: RunningService,
  days: number,
): Promise<number> {
  const { options, terminal, clock, signal } = world;
  const [baseUrl] = service.baseUrls;
  const operator = operatorClient({ baseUrl, token: service.operatorToken, clock });
  const time = new SimulatedTime(operator, clock);
  await time.read();
  const { miners, validators, seed } = options;
  const { baseUrls } = service;
  const play: DaysOptions = {
    miners,
    validators,
    seed,
    baseUrls,
    operator,
    time,
    terminal,
    signal,
  };
  const names = await setTheStage(play, options.dataDir);

  const results: RaceDetails[] = [];
  try {
    for (let day = 0; day < days && !signal.aborted; day++) {
      results.push(await playDay(play, { day, before: results.at(-1) }, names));
    }
  } catch (error) {
    // What fails then is what was on its way when it was to stop.
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) return options.once ? 1 : 0;
  saySummary(terminal, results);
  sayKept(world);
  return results.every(({ race }) => race.status === 'RACE_COMPLETE') ? 0 : 1;
}

async function setTheStage(options: DaysOptions, dataDir: string) {
  const { operator, terminal, seed } = options;
  const done = (text: string) => terminal.line(`  ${terminal.style('green', '✓')} ${text}`);
  const names = new Map<string, string>();
  for (const role of ['miner', 'validator'] as const) {
    for (let index = 0; index < options[`${role}s`]; index++) {
      const hotkey = encodeHotkey(participantKeypair(seed, role, index).publicKey);
      if (role === 'miner') names.set(hotkey, minerName(index));
      await operator.send('PUT', `/v1/admin/chain/registrations/${hotkey}`, { role });
    }
  }
  done(`${options.miners} miners and ${options.validators} validators on the embedded chain`);
  const suite = await prepareDemoSuite(operator, dataDir);
  done(suite.summary);
  return names;
}

function saySummary(terminal: Terminal, results: readonly RaceDetails[]): void {
  const head = ['race', 'status', 'entrants', 'winner', 'Overall', 'eliminated'];
  const rows = results.map(({ race, qualifiers }) => {
    const winner = qualifiers.find(({ race_rank: rank }) => rank === 1);
    const gone = qualifiers.filter(({ eliminated_at: at }) => at !== null).length;
    return [
      String(race.race_number),
      race.status,
      String(race.qualifier_count),
      winner === undefined ? '-' : agentOf(winner),
      fixed(race.winner_score),
      String(gone),
    ];
  });
  terminal.line();
  terminal.line(terminal.style('bold', `${results.length} race days`));
  for (const line of table([head, ...rows])) terminal.line(`  ${line}`);
}
