import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { startTestService } from '../support/edge.ts';
import { HostileLoad } from './hostile-load.ts';
import { type Category, kept } from './hostile-request.ts';
import { runHostile } from './hostile-run.ts';
import { RequestSource } from './request-source.ts';
import { hostileSettings } from './settings.ts';
import { Tally } from './tally.ts';

const category = (name: string, expected: readonly number[]): Category => ({
  ...{ name, share: 1 },
  make: (dice) => kept(dice, { method: 'GET', target: `/${name}/${dice.hex(8)}` }, expected),
});

/** A server that answers by the first step of the path. */
async function standIn(t: ExecutionContext, statusOf: (step: string) => number): Promise<number> {
  const server = createServer((request, response) => {
    const status = statusOf(request.url?.split('/')[1] ?? '');
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end('{"detail":"said"}');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function flood(port: number, categories: readonly Category[], count: number): Promise<Tally> {
  const tally = new Tally();
  const plan = { ports: [port], objectsPort: port, count, connections: 2, depth: 4 };
  await new HostileLoad(plan, new RequestSource(categories, 7), tally).run();
  return tally;
}

test('the flood sees what is accepted, fails, is not answered or has another status', async (t) => {
  const port = await standIn(t, (step) => ({ hole: 200, fault: 500, cut: 0 })[step] ?? 401);
  const names = ['closed', 'hole', 'fault', 'cut'];
  const categories = [...names.map((name) => category(name, [401])), category('other', [403])];
  const tally = await flood(port, categories, 200);
  t.is(tally.done, 200);
  const kinds = new Set(tally.findings.map((finding) => finding.category));
  t.deepEqual([...kinds].sort(), ['cut', 'fault', 'hole', 'other']);
  const of = (name: string) => tally.byCategory.get(name);
  t.is(of('closed')?.accepted, 0);
  t.is(of('hole')?.accepted, of('hole')?.tried);
  t.is(of('fault')?.failed, of('fault')?.tried);
});

test('one seed makes the same requests in any order, another makes others', (t) => {
  const categories = [category('a', [401]), category('b', [401])];
  const made = (seed: number, ids: readonly number[]) => {
    const source = new RequestSource(categories, seed);
    return ids.map((id) => source.make(id).bytes.toString());
  };
  t.deepEqual(made(1, [0, 1, 2]), made(1, [2, 1, 0]).toReversed());
  t.notDeepEqual(made(1, [0, 1, 2]), made(2, [0, 1, 2]));
  t.is(
    new Set(
      made(
        3,
        Array.from({ length: 500 }, (_, id) => id),
      ),
    ).size,
    500,
  );
});

test('hostile requests of every category get nowhere; with a planted hole the run says so', async (t) => {
  t.timeout(300_000);
  const service = await startTestService({ edges: 2, env: hostileSettings });
  t.teardown(() => service.stop());
  const publicRatePerMinute = Number(hostileSettings.PUBLIC_RATE_PER_MINUTE);
  const common = { door: service, seed: 11, connections: 3, depth: 6, publicRatePerMinute };
  const report = await runHostile({
    ...{ ...common, count: 3_000 },
    plantedHole: (material) => ({
      name: 'planted',
      share: 20,
      // A leaked token of an operator: the service lets it in, so the run must object.
      make: (dice) => {
        const headers = { Authorization: `Bearer ${material.operatorToken}` };
        return kept(dice, { method: 'GET', target: '/v1/admin/overview', headers }, [401]);
      },
    }),
  });
  const { tally, canary } = report;
  const planted = tally.byCategory.get('planted');
  t.true((planted?.tried ?? 0) > 0);
  t.is(planted?.accepted, planted?.tried);
  t.deepEqual(
    tally.findings.filter((finding) => finding.category !== 'planted'),
    [],
  );
  t.deepEqual(report.objections, [`${planted?.accepted} answers that may not be`]);
  t.is(report.changedTable, undefined);
  t.deepEqual(canary.failures, []);
  t.true(canary.answered > 5);
  t.true(tally.byCategory.size >= 14, [...tally.byCategory.keys()].join());
});
