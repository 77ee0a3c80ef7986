import test from 'ava';
import { demoModels } from '../../../infra/inference/embedded/demo-models.ts';
import { models, rankedModels } from '../../spec/answers/inference.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { okBody } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, shaped } from './answers.ts';

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({ env: { INFERENCE_POLL_SECONDS: '1' } });
});
test.after.always(() => service?.stop());
test.afterEach(() => service.providers.providera.heal());

const path = '/v1/public/inference/models';
const get = (query = '') => service.call('GET', `${path}${query}`);
const ranked = async (query = '') => await okBody<Ranked>(await get(`?ranked=true${query}`));

interface Ranked {
  readonly models: readonly string[];
  readonly stats: readonly {
    readonly model_id: string;
    readonly rank: number;
    readonly healthy: boolean;
    readonly served: boolean;
    readonly polled_at: string;
  }[];
}

const polled = () => until(async () => (await ranked()).stats.length > 0);

test.serial(
  'the allowlist and its aliases, of providera unless another is asked for',
  async (t) => {
    for (const [query, { allowed, aliases }] of [
      ['', demoModels.providera],
      ['?provider=providera&ranked=false', demoModels.providera],
      ['?provider=providerb', demoModels.providerb],
    ] as const) {
      t.deepEqual(await shaped(t, models, await get(query)), { models: [...allowed], aliases });
    }
  },
);

test.serial('ranked, by health and load; what is served no more comes last', async (t) => {
  await polled();
  const answer = await shaped(t, rankedModels, await get('?ranked=1'));

  t.deepEqual(answer.models, [
    ...['maple/maple-8b-instruct', 'cedar/cedar-27b', 'birch/birch-32b-coder', 'fjord/fjord-235b'],
    ...['maple/maple-70b-instruct', 'dune/dune-v3', 'ember/ember-r1'],
  ]);
  t.deepEqual(
    answer.stats.map(({ model_id: id, rank }) => [id, rank]),
    answer.models.map((id, index) => [id, index + 1]),
  );
  t.like(answer.stats.at(-1), { healthy: false, load: null, latency_ms: null, served: false });
  t.like(answer.stats[0], { healthy: true, load: 0.18, latency_ms: 95, served: true });
});

test.serial('providerb is ranked as far as it is monitored', async (t) => {
  await polled();
  const { models: listed } = await ranked('&provider=providerb');
  t.deepEqual([...listed].sort(), [...demoModels.providerb.monitored].sort());
});

test.serial(
  'a ranking follows what the provider says, and stays when it says nothing',
  async (t) => {
    await polled();
    const first = 'maple/maple-8b-instruct';
    service.providers.providera.set({ models: { [first]: { healthy: false } } });
    await until(async () => (await ranked()).models[0] !== first);
    t.is((await ranked()).models.at(-2), first);
    service.providers.providera.fail({ kind: 'status', status: 500 }, 'models');
    const kept = await ranked();
    t.is(kept.models[0], 'cedar/cedar-27b');
    t.true(kept.stats.every(({ polled_at: at }) => at !== null));
  },
);

test.serial('other words are refused by the name of their place', async (t) => {
  t.is(await invalid(t, await get('?provider=nobody')), 'query.provider');
  t.is(await invalid(t, await get('?provider=')), 'query.provider');
  t.is(await invalid(t, await get('?ranked=maybe')), 'query.ranked');
});

test('before the first look at a provider nothing is said of its models', async (t) => {
  const env = {
    PROVIDERA_URL: 'http://127.0.0.1:9',
    PROVIDERA_MODELS: 'b/two,a/one',
    PROVIDERA_ALIASES: '',
  };
  const unseen = await startTestService({ env });
  t.teardown(() => unseen.stop());
  const answer = await unseen.call('GET', `${path}?ranked=true`);
  t.deepEqual(await shaped(t, rankedModels, answer), {
    ...{ models: ['b/two', 'a/one'], aliases: {}, stats: [] },
  });
});
