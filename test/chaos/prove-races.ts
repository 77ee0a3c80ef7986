/**
 * `npm run proof:races`: a year of race days with faults on the simulated clock, over several edges
 * and coordinators. After each race every rule of races and money is checked from the raw rows
 * (INV-25 to INV-36). Ends with code 1 when one is broken, or when nothing was proved.
 */
import { lineOf } from '../commands/command-line.ts';
import { proofRacesCommand } from '../commands/proof-commands.ts';
import { raceViolations, seasonViolations } from '../support/race-checks.ts';
import { RaceSeason } from '../support/race-season.ts';
import { startServiceWorld } from '../support/service-world.ts';

const values = lineOf(proofRacesCommand);
const { days } = values;
/** Days between two suites: the top goes, and a new calendar begins. */
const suiteEvery = 120;
const toldEvery = 10;

const say = (text: string) => console.log(text);
let restarts = 0;
const violations: string[] = [];
const outcomes = new Map<string, number>();

await using world = await startServiceWorld({
  edges: values.edges,
  coordinators: values.coordinators,
  env: {
    CLOCK: 'simulated',
    RACE_TASKS: '8',
    QUALIFYING_THRESHOLD: '0.25',
    // A validator logs in once a month.
    SESSION_SECONDS: '2592000',
  },
  onRestart: () => {
    restarts += 1;
  },
});
const season = new RaceSeason(world, {
  miners: values.miners,
  validators: values.validators,
  seed: values.seed,
  taskCount: 24,
  qualifyingCount: 8,
  hasFaults: !values['no-faults'],
});
await season.start();
say(
  `${days} race days, ${values.miners} miners, ${values.validators} validators, seed ${values.seed}`,
);

const startedMs = performance.now();
for (let day = 0; day < days && violations.length === 0; day++) {
  if (day > 0 && day % suiteEvery === 0) await season.switchSuite(1 + day / suiteEvery);
  const race = await season.playDay(day);
  const outcome = race.status === 'RACE_COMPLETE' ? 'complete' : 'cancelled';
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  violations.push(...(await raceViolations(world.sql, race.race_id)));
  if (day % toldEvery === toldEvery - 1) tell(day);
}
violations.push(...(await seasonViolations(world.sql, season.history)));
await report();

function tell(day: number): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const now = new Date(season.time.nowMs()).toISOString().slice(0, 16);
  say(
    `  day ${day + 1}, ${now}: ${outcomes.get('complete') ?? 0} races complete after ${seconds} s`,
  );
}

async function report(): Promise<void> {
  const [rows] = await world.sql<Record<string, number>[]>`
    select (select count(*) from agent_version)::integer as "versions",
           (select count(*) from evaluation_run)::integer as "runs",
           (select count(*) from evaluation_run where status = 'STALE')::integer as "stale runs",
           (select count(*) from episode_result)::integer as "results",
           (select count(*) from race_entrant)::integer as "entrants",
           (select count(*) from agent_version where eliminated_at is not null)::integer as "eliminated",
           (select count(*) from top_agent)::integer as "reigns",
           (select count(*) from epoch_standings)::integer as "epochs with standings",
           (select sum(epoch) from rt.partition)::integer as "ownerships"`;
  say('');
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  for (const [name, count] of Object.entries(rows ?? {})) line(name, count);
  for (const [name, count] of outcomes) line(`races ${name}`, count);
  for (const [name, count] of [...season.history.counts].sort()) line(name, count);
  line('processes started again', restarts);
  line('seconds', seconds);
  const { troubles } = season.history;
  if (troubles.length > 0) say(`\n${troubles.length} unexpected answers, such as ${troubles[0]}`);
  if ((outcomes.get('complete') ?? 0) === 0) violations.push('no race was completed');
  say(violations.length === 0 ? '\nPROVED: every race and every unit adds up.' : '\nVIOLATED:');
  for (const text of violations.slice(0, 20)) say(`  ${text}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function line(name: string, value: number | string): void {
  say(`  ${name.padEnd(40)} ${value}`);
}
