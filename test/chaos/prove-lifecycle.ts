/**
 * `npm run proof:lifecycle`: many simulated validators over several edges and coordinators, while a
 * coordinator is killed every few seconds. Afterwards nothing that a client was told may be lost,
 * doubled or contradicted, which is checked in SQL. Ends with code 1 when anything is.
 */

import { systemClock } from '../../infra/clock/system-clock.ts';
import { lineOf } from '../commands/command-line.ts';
import { proofLifecycleCommand } from '../commands/proof-commands.ts';
import { seededChoice, signalProcess } from '../support/coordinator-faults.ts';
import { lifecycleViolations, untilQuiet } from '../support/lifecycle-checks.ts';
import { LifecycleHistory } from '../support/lifecycle-history.ts';
import { startLoad } from '../support/lifecycle-load.ts';
import { openSuite, type ServiceWorld, startServiceWorld } from '../support/service-world.ts';

const values = lineOf(proofLifecycleCommand);
const { validators } = values;
const killEveryMs = values['kill-every'] * 1000;
const requiredSuccesses = 3;
const taskCount = 20;
// A message whose sender was killed waits half a minute for the sweeper; leases of a killed owner's
// runs get a new term.
const quietMs = 90_000;

const history = new LifecycleHistory();
const choose = seededChoice(values.seed);
let kills = 0;
let restarts = 0;

const say = (text: string) => console.log(text);

await using world = await startServiceWorld({
  edges: values.edges,
  coordinators: values.coordinators,
  env: { HEARTBEAT_SECONDS: '3', LEASE_SECONDS: '20', CLAIM_LEASE_SECONDS: '30' },
  onRestart: () => {
    restarts += 1;
  },
});
await openSuite(world, { taskCount, requiredSuccesses });
say(
  `${validators} validators, ${values.edges} edges, ${values.coordinators} coordinators, ` +
    `${values.minutes} min, a kill every ${values['kill-every']} s, seed ${values.seed}`,
);
const load = await startLoad(
  world,
  {
    ...{ validators, requiredSuccesses, seed: values.seed },
    miners: 100,
    taskMs: 200,
    silentEvery: 20,
  },
  history,
);
await killAndTell(world);
const stoppedMs = performance.now();
await load.stop();
const givenBackMs = performance.now();
await untilQuiet(world.sql, quietMs).catch(() => say('it did not become quiet'));
say(
  `work given back in ${secondsSince(stoppedMs, givenBackMs)} s, ` +
    `quiet after ${secondsSince(givenBackMs)} s more`,
);
const violations = await lifecycleViolations(world.sql, history);
await report(world);

async function killAndTell({ service }: ServiceWorld): Promise<void> {
  const endMs = performance.now() + values.minutes * 60_000;
  for (let nextMs = performance.now() + killEveryMs; performance.now() < endMs; ) {
    await systemClock.sleep(Math.max(0, Math.min(nextMs, endMs) - performance.now()));
    if (performance.now() >= endMs) return;
    nextMs += killEveryMs;
    const coordinator = service.coordinators[choose(service.coordinators.length)];
    if (coordinator === undefined || !signalProcess(coordinator, 'SIGKILL')) continue;
    kills += 1;
    const { completions, results } = history;
    say(
      `  ${new Date().toISOString()} killed ${coordinator.name} (kill ${kills}): so far ${completions.size} runs completed, ` +
        `${results.size} results`,
    );
  }
}

async function report({ sql }: ServiceWorld): Promise<void> {
  const [rows] = await sql<Record<string, number>[]>`
    select (select count(*) from agent_version)::integer as "versions",
           (select count(*) from work_item where state = 'CLOSED')::integer as "closed work items",
           (select count(*) from work_item where state = 'CANCELLED')::integer as "cancelled ones",
           (select count(*) from evaluation_run)::integer as "runs",
           (select count(*) from evaluation_run where status = 'STALE')::integer as "stale runs",
           (select count(*) from episode_result)::integer as "results",
           (select count(*) from rt.event)::integer as "events",
           (select sum(epoch) from rt.partition)::integer as "ownerships"`;
  say('');
  for (const [name, count] of Object.entries(rows ?? {})) line(name, count);
  line('coordinators killed', kills);
  line('processes started again', restarts);
  line('acknowledged claims', history.claims.size);
  line('acknowledged results', history.results.size);
  line('acknowledged completions', history.completions.size);
  line('claims that found nothing', history.answers.get('/v1/validator/work/claim 204') ?? 0);
  line('validators that went silent', history.silent.size);
  line('worst gap without a good answer', `${Math.round(history.worstGapMs)} ms`);
  const { ms, kind } = history.longestWait;
  line('longest wait for an answer, repeats included', `${Math.round(ms)} ms: ${kind}`);
  say('\nanswers');
  for (const [kind, count] of [...history.answers].sort()) line(kind, count);
  if (history.troubles.length > 0) {
    say(`\n${history.troubles.length} times a participant met what it did not expect, such as`);
    for (const text of new Set(history.troubles.slice(0, 5))) say(`  ${text}`);
  }
  const isIdle = history.completions.size === 0;
  if (isIdle) violations.push('nothing was completed, so nothing was proved');
  say(violations.length === 0 ? '\nPROVED: nothing lost, nothing doubled.' : '\nVIOLATED:');
  for (const text of violations) say(`  ${text}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function line(name: string, value: number | string): void {
  say(`  ${name.padEnd(58)} ${value}`);
}

function secondsSince(fromMs: number, toMs = performance.now()): string {
  return ((toMs - fromMs) / 1000).toFixed(1);
}
