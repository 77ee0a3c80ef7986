import test from 'ava';
import type { Endpoint } from '../../apps/edge/endpoint.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { hurriedRoutes } from '../support/hurried-routes.ts';

const nameOf = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${path}`;

function namesOf(trafficClass: Endpoint['trafficClass']): string[] {
  const members = endpoints.filter((each) => each.trafficClass === trafficClass);
  return members.map(nameOf).sort();
}

test('of class 0 are what keeps a run alive, what weights are set from, and what tells of us', (t) => {
  const health = ['GET /health', 'GET /health/deep'];
  const hurried = hurriedRoutes.map((route) => route.join(' '));
  t.deepEqual(namesOf(0), [...health, ...hurried].sort());
});

test('of class 2 is nothing that changes anything: that is not shed with the crowd', (t) => {
  const changing = namesOf(2).filter((name) => !name.startsWith('GET '));
  t.deepEqual(changing, ['POST /v1/public/artifacts/download-url'], 'a read with a body');
});

const work = [
  'DELETE /v1/miner/race-selection',
  'PUT /v1/miner/race-selection',
  'POST /v1/miner/submit',
  'POST /v1/miner/inference-auth/{provider}',
  'GET /v1/validator/evaluation-runs/{eval_run_id}/problems',
  'GET /v1/validator/pack/{pack_sha256}',
  'POST /v1/validator/race/{race_id}/pack',
  'POST /v1/validator/episode-artifacts/presign',
  'POST /v1/validator/uploads/presign',
  'POST /v1/validator/work/claim',
];

test('of class 1 is the work of miners and validators', (t) => {
  const ordinary = new Set(namesOf(1));
  t.deepEqual(
    work.filter((name) => !ordinary.has(name)),
    [],
  );
});

test('what anybody may read is of class 2, whatever it tells', (t) => {
  const isOpen = ({ path, role, method }: Endpoint) => {
    return role === 'public' && method === 'get' && !path.startsWith('/health');
  };
  const open = endpoints.filter(isOpen);
  t.true(open.length > 20);
  t.deepEqual(open.filter(({ trafficClass }) => trafficClass !== 2).map(nameOf), []);
});
