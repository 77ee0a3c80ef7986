import test from 'ava';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../../apps/edge/endpoint.ts';
import { possibleFaults } from '../../../apps/edge/openapi/possible-faults.ts';
import { Fault } from '../../../machines/fault.ts';
import { startFramework } from '../../support/framework.ts';

function refusing(fault: Fault, differing: Partial<Endpoint> = {}): Endpoint {
  const route = endpoint({
    method: 'get',
    path: '/refusing',
    role: 'public',
    summary: 'Refuses',
    trafficClass: 2,
    response: z.object({}),
    faults: ['RACE_OVER'],
    async handle(): Promise<Record<string, never>> {
      throw fault;
    },
  });
  return { ...route, ...differing };
}

const rows: readonly [title: string, fault: Fault, status: number][] = [
  ['with a described code', new Fault('RACE_OVER', 'Over.'), 409],
  ['with its field', new Fault('RACE_OVER', 'Over.', { race_status: 'RACE_COMPLETE' }), 409],
  ['with a value that it never has', new Fault('RACE_OVER', 'Over.', { race_status: 'X' }), 500],
  ['with a field that is not its own', new Fault('RACE_OVER', 'Over.', { hint: 1 }), 500],
  ['with a code that is not described', new Fault('RACE_LOCKED', 'Locked.'), 500],
  ['with what may always be said', new Fault('OVERLOADED', 'Later.'), 503],
];
for (const [title, fault, status] of rows) {
  test(`in a test run a refusal ${title} is answered ${status}`, async (t) => {
    await using edge = await startFramework([refusing(fault)]);
    t.is((await edge.get('/refusing')).status, status);
    t.is(edge.reported.length, status === 500 ? 1 : 0);
  });
}

test('whose outage is told follows from whom a route asks', (t) => {
  const outages = (differing: Partial<Endpoint>) => {
    const all = possibleFaults(refusing(new Fault('RACE_OVER', 'Over.'), differing));
    return ['STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'].filter((code) =>
      all.has(code as 'STORE_UNAVAILABLE'),
    );
  };
  const path = '/v1/things';
  t.deepEqual(outages({}), []);
  t.deepEqual(outages({ path }), ['STORE_UNAVAILABLE']);
  t.deepEqual(outages({ path, asks: 'nobody' }), []);
  t.deepEqual(outages({ path, method: 'post', asks: 'store' }), ['STORE_UNAVAILABLE']);
  t.is(outages({ path, method: 'post' }).length, 3);
  t.is(outages({ path: '/other', role: 'miner' }).length, 3);
});
