import test from 'ava';
import type { Usage } from '../../../actors/services/inference/messages.ts';
import { exchange } from '../../../apps/edge/inference/exchange.ts';
import { LentKeys } from '../../../apps/edge/inference/lent-keys.ts';
import { ProviderBreakers } from '../../../apps/edge/inference/provider-breakers.ts';
import { TimeLimit } from '../../../apps/edge/inference/time-limit.ts';
import type { InferenceProvider } from '../../../infra/ports/inference.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const neverAsked = () => Promise.reject(new Error('is not asked'));

/** What comes of a completion that its provider answers with 200 and this text. */
function answered(text: string, contentType = 'application/json') {
  const clock = new ManualClock();
  async function* body() {
    yield Buffer.from(text);
  }
  const provider: InferenceProvider = {
    ...{ id: 'providera', check: neverAsked, mint: neverAsked, revoke: neverAsked },
    ...{ isSpent: neverAsked, servedModels: neverAsked },
    complete: async () => ({
      ...{ status: 200, contentType, retryAfterSeconds: undefined, body: body() },
    }),
  };
  const counted: (Omit<Usage, 'evalRunId'> | undefined)[] = [];
  const lend = async () => ({ keyId: 'id', accessKey: 'key', expiresAtMs: 10_000_000 });
  const model = 'some/model';
  const answer = exchange(
    {
      ...{ evalRunId: 'run', minerHotkey: 'miner', lent: {}, idOf: (id: string) => id },
      body: { model },
      routes: [{ provider: 'providera', modelId: model }],
      gone: new AbortController().signal,
      limit: new TimeLimit(clock),
      firstByteMs: 1000,
      nameOf: ({ provider: id }) => id,
      finish: async (usage) => {
        counted.push(usage);
      },
    },
    {
      providers: new Map([['providera', provider]]),
      keys: new LentKeys(lend, { nowMs: () => 0 }),
      breakers: new ProviderBreakers({ failuresMax: 9, minersMin: 3, restMs: 1000 }, clock),
    },
  );
  return { answer, counted };
}

for (const text of [
  'null',
  '[]',
  '{}',
  '{"choices":[]}',
  '{"choices":{"length":1}}',
  '{"error":{"message":"upstream overloaded","code":502}}',
]) {
  test(`a 200 that holds no answer is the provider’s failure: ${text}`, async (t) => {
    const { answer, counted } = answered(text);

    const fault = await t.throwsAsync(answer, { instanceOf: Fault });
    t.is(fault.code, 'PROVIDER_UNAVAILABLE');
    t.deepEqual(fault.extras, { provider_failed: true });
    t.like(counted, [{ isFailure: true }]);
  });
}

test('what a provider bills for an answer without a choice is counted', async (t) => {
  const text = '{ "choices": [], "usage": {"prompt_tokens": 2} }';
  const { answer, counted } = answered(text);

  await t.throwsAsync(answer, { instanceOf: Fault });
  t.like(counted[0], { isFailure: true, promptTokens: 2 });
});

test('an answer with a choice goes through as it is, whatever the choice holds', async (t) => {
  const text = '{ "choices": [{}], "usage": {"prompt_tokens": 2} }';
  const { answer, counted } = answered(text);

  t.is(String(Reflect.get(await answer, 'body')), text);
  t.like(counted, [{ isFailure: false, promptTokens: 2 }]);
});

test('what comes as events is not looked at', async (t) => {
  const { answer } = answered('data: {}\n\n', 'text/event-stream');

  await t.notThrowsAsync(answer);
});
