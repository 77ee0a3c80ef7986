import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { NoSandbox } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { until } from '../../support/until.ts';
import { trialSandbox } from './try-sandbox.ts';
import { type ShopWorld, startShopWorld, startValidator } from './validator-world.ts';

const agents = join(import.meta.dirname, '../../../apps/world/demo/agents');

/** An agent whose every answer is right. */
export const careful = () => readFile(join(agents, 'careful_shopper.py'), 'utf8');

/** What tests of the reference validator ask the shop's service and its public; opened before the first. */
export function openShopDesk() {
  let world: ShopWorld | undefined;
  let refusal: NoSandbox | undefined;
  const shop = (): ShopWorld => {
    if (world === undefined) throw new Error('the shop is not open yet');
    return world;
  };

  async function open(env: Readonly<Record<string, string>> = {}): Promise<ShopWorld> {
    const found = [await trialSandbox('bubblewrap'), await trialSandbox('unshare')];
    if (found.every((one) => one instanceof NoSandbox)) refusal = found[0] as NoSandbox;
    world = await startShopWorld(env);
    return world;
  }

  async function close(): Promise<void> {
    await world?.[Symbol.asyncDispose]();
  }

  /** Where this machine has no sandbox, the process must say so and end; nothing else can be shown. */
  async function hasSandbox(t: ExecutionContext): Promise<boolean> {
    if (refusal === undefined) return true;
    const { ended } = await startValidator(shop(), { index: 99 });
    const { code, log } = await ended;
    t.is(code, 1);
    t.regex(log, /^validator: .*(no sandbox works here|agents need CPython)/);
    return false;
  }

  const runsOf = (version: string) =>
    shop().operator.api.getPublicAgentVersionsRuns({ agent_version_id: version });
  const statusOf = (version: string) =>
    shop().operator.api.getPublicAgentVersionsStatus({ agent_version_id: version });

  async function endedRun(version: string) {
    const ended = async () => (await runsOf(version)).find(({ completed_at: at }) => at !== null);
    await until(async () => (await ended()) !== undefined, 120_000);
    const run = await ended();
    if (run === undefined) throw new Error('no run has ended');
    return run;
  }

  async function episodeIdsOf(version: string): Promise<readonly string[]> {
    const asked = { agent_version_id: version, phase: 'QUALIFYING' as const };
    const { generated_results: results } =
      await shop().operator.api.getPublicAgentVersionsProblems(asked);
    return results.flatMap(({ items }) => items.items.map((item) => item.episode_result_id ?? ''));
  }

  /** What was given back is tried again, which would take the time of the tests that follow. */
  async function discard(version: string): Promise<void> {
    await shop().operator.api.postAdminAgentVersionsDiscard({
      agent_version_id: version,
      body: { reason: 'the test has seen enough' },
      idempotencyKey: `discard-${version}`,
    });
  }

  return { open, close, hasSandbox, runsOf, statusOf, endedRun, episodeIdsOf, discard };
}
