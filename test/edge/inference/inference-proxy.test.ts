import test from 'ava';
import { InferenceProxy } from '../../../apps/edge/inference/inference-proxy.ts';
import { LentKeys } from '../../../apps/edge/inference/lent-keys.ts';
import { ProviderBreakers } from '../../../apps/edge/inference/provider-breakers.ts';
import { readConfig } from '../../../infra/config/config.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const model = 'some/model';

/** Begins a completion of a run that may have three, of which one is stored. */
async function begun({ taken, before, after = before }: Record<string, number>) {
  const env = { INFERENCE_REQUESTS_PER_RUN: '3', PROVIDERA_MODELS: model };
  const clock = new ManualClock();
  let uncounted = before ?? 0;
  const proxy = new InferenceProxy({
    config: readConfig(env, { process: 'world' }),
    clock,
    findRun: async () => {
      uncounted = after ?? 0;
      return {
        ...{ minerHotkey: 'miner', connected: ['providera'], lent: {}, requests: 1, ageMs: 0 },
        limitInMs: null,
      };
    },
    states: { of: async () => undefined },
    slots: { taken: () => taken ?? 0 },
    records: { record: async () => undefined, uncounted: () => uncounted },
    // Nobody is sent anything before the answer is asked for.
    providers: new Map([['providera', {}]]) as never,
    keys: new LentKeys(() => Promise.reject(new Error('is not asked')), clock),
    breakers: new ProviderBreakers({ failuresMax: 9, minersMin: 3, restMs: 1000 }, clock),
  });
  return await proxy.begin({
    ...{ evalRunId: 'run', active: 'providera', body: { model }, requestId: 'request' },
    gone: new AbortController().signal,
  });
}

test('the last completion of a run may begin', async (t) => {
  await t.notThrowsAsync(begun({ taken: 2, before: 0 }));
  await t.notThrowsAsync(begun({ taken: 1, before: 1 }));
});

for (const counts of [
  { taken: 3, before: 0 },
  { taken: 1, before: 2 },
  // Counted while the run was looked up, or not waited for since.
  { taken: 1, before: 2, after: 0 },
  { taken: 1, before: 0, after: 2 },
]) {
  test(`none does beyond it, counted or not: ${JSON.stringify(counts)}`, async (t) => {
    const fault = await t.throwsAsync(begun(counts), { instanceOf: Fault });

    t.is(fault.code, 'RATE_LIMITED');
    t.regex(fault.message, /are under way/);
  });
}
