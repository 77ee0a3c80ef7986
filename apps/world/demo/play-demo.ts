import { z } from 'zod';
import { type OperatorClient, operatorClient } from '../operator-client.ts';
import { endText, type ProcessEnd } from '../process-group.ts';
import { sayWhere, serveUntilStopped } from '../serving.ts';
import type { RunningService } from '../start-service.ts';
import { type Terminal, table } from '../terminal.ts';
import type { World } from '../world.ts';
import { type Demo, type DemoOptions, deadlineMs, registerParticipants, runDemo } from './demo.ts';
import { type Leaderboard, readLeaderboard } from './leaderboard.ts';
import type { LegacySuite } from './legacy-suite.ts';
import { prepareDemoSuite, prepareLegacySuite } from './prepare-suite.ts';
import { realValidators } from './real-validators.ts';
import type { Tally } from './story.ts';

// Validators give their runs back when they stop; nobody waits longer than this for that.
const leaveMs = 3_000;

/** Sets the stage, plays, shows what came of it, and serves on unless told `--once`; the exit code. */
export async function playDemo(
  world: World,
  service: RunningService,
  legacy: LegacySuite | undefined,
): Promise<number> {
  const { options, terminal, clock, signal } = world;
  const [baseUrl] = service.baseUrls;
  const operator = operatorClient({ baseUrl, token: service.operatorToken, clock });
  const { miners, validators, seed } = options;
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  const shared = { operator, clock, terminal, signal: ending, baseUrls: service.baseUrls };
  const real = realOf(world, service, (error) => failed.abort(error));
  const demoOptions: DemoOptions = { miners, validators, real, seed, ...shared };
  await setTheStage(world, demoOptions, legacy);

  const demo = await runDemo(demoOptions);
  try {
    failed.signal.throwIfAborted();
    if (signal.aborted) return options.once ? 1 : 0;
    const board = await readLeaderboard(operator, demo.minerNames);
    sayLeaderboard(terminal, board);
    sayTally(terminal, demo.story.tally);
    sayInference(terminal, await operator.get('/v1/admin/overview'));
    sayWhere(world, service);
    if (!options.once) return await serveUntilStopped(world);
    return await verdict(world, { operator, demo, board });
  } finally {
    await Promise.race([demo[Symbol.asyncDispose](), clock.sleep(leaveMs)]);
  }
}

function realOf(
  { options, env, terminal }: World,
  { baseUrls }: RunningService,
  onGivenUp: (error: Error) => void,
) {
  const { realValidators: count, seed, dataDir } = options;
  if (count === 0) return undefined;
  const onRestart = (name: string, end: ProcessEnd) =>
    terminal.line(terminal.style('yellow', `  ${name} ${endText(end)}`));
  return realValidators({ count, seed, dataDir, env, baseUrls, onRestart, onGivenUp });
}

async function setTheStage(
  { options, terminal }: World,
  demo: DemoOptions,
  legacy: LegacySuite | undefined,
): Promise<void> {
  const done = (text: string) => terminal.line(`  ${terminal.style('green', '✓')} ${text}`);
  await registerParticipants(demo);
  done(`${demo.miners} miners and ${demo.validators} validators on the embedded chain`);
  const suite =
    legacy === undefined
      ? await prepareDemoSuite(demo.operator, options.dataDir)
      : await prepareLegacySuite(demo.operator, legacy);
  done(suite.summary);
  terminal.line();
}

function sayLeaderboard(terminal: Terminal, { total, lines }: Leaderboard): void {
  const [head = '', ...rows] = lines;
  terminal.line();
  terminal.line(terminal.style('bold', `Leaderboard, ${total} eligible`));
  terminal.line(`  ${terminal.style('dim', head)}`);
  for (const row of rows) terminal.line(`  ${row}`);
  terminal.line();
}

function sayTally(terminal: Terminal, { reclaimed, refused, discarded }: Tally): void {
  const list = (name: string, entries: readonly string[]) =>
    entries.length === 0
      ? [[name, 'nothing']]
      : entries.map((entry, index) => [index === 0 ? name : '', entry]);
  const rows = [
    ...list('Reclaimed', reclaimed),
    ...list('Refused', refused),
    ...list('Discarded', discarded),
  ];
  for (const line of table(rows)) terminal.line(line);
}

const inferenceTotals = z.object({
  inference: z.array(
    z.object({
      provider: z.string(),
      requests: z.number(),
      failures: z.number(),
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
    }),
  ),
});

/** What the agents asked of language models through the service, as it has counted. */
function sayInference(terminal: Terminal, overview: unknown): void {
  const rows = inferenceTotals.parse(overview).inference.map((total, index) => {
    const tokens = total.prompt_tokens + total.completion_tokens;
    const failed = total.failures === 0 ? '' : `, ${total.failures} failed`;
    const said = `${total.requests} completions of ${tokens} tokens by ${total.provider}${failed}`;
    return [index === 0 ? 'Inference' : '', said];
  });
  for (const line of table(rows.length === 0 ? [['Inference', 'nothing']] : rows)) {
    terminal.line(line);
  }
}

/** For `--once`: 0 only when there is an eligible version and nothing is left over. */
async function verdict(
  { terminal }: World,
  of: { readonly operator: OperatorClient; readonly demo: Demo; readonly board: Leaderboard },
): Promise<number> {
  const problem =
    of.board.total === 0
      ? 'no agent version became eligible'
      : await leftover(of.operator, of.demo.judged);
  if (problem === undefined) return 0;
  terminal.line(terminal.style('red', `The demo did not end well: ${problem}.`));
  return 1;
}

async function leftover(operator: OperatorClient, judged: boolean): Promise<string | undefined> {
  const { open_work_items: open, live_runs: live } = await operator.api.getAdminOverview();
  if (judged && open === 0 && live === 0) return undefined;
  return `${open} work items are open and ${live} runs are live after ${deadlineMs / 1000} s`;
}
