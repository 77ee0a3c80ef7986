import test from 'ava';
import { hostReport } from '../../../apps/edge/wire/host-report.ts';

const kept = (report: object) => hostReport.parse(report);
const isTaken = (report: unknown) => hostReport.safeParse(report).success;

test('a number out of its range is kept as the nearest one within', (t) => {
  t.deepEqual(kept({ cpu_pct: 180.2, ram_pct: -1, disk_pct: 99.9 }), {
    ...{ cpu_pct: 100, ram_pct: 0, disk_pct: 99.9 },
  });
  const counts = [-1, 7, 1_000_001, 2 ** 64].map((count) =>
    kept({ docker_container_count: count }),
  );
  t.deepEqual(
    counts,
    [0, 7, 1_000_000, 1_000_000].map((count) => ({ docker_container_count: count })),
  );
});

test('long names and versions are cut, and never within a character', (t) => {
  const report = kept({
    service_versions: { ['n'.repeat(65)]: `${'v'.repeat(127)}🛒🛒`, short: '1' },
  });
  t.deepEqual(report?.service_versions, {
    ['n'.repeat(64)]: `${'v'.repeat(127)}🛒`,
    short: '1',
  });
});

test('a version that is no text is kept as its JSON, and one that is unknown is not', (t) => {
  const given = { python: 3.11, sandbox: { kind: 'gvisor' }, isNew: true, docker: null };
  t.deepEqual(kept({ service_versions: given })?.service_versions, {
    ...{ python: '3.11', sandbox: '{"kind":"gvisor"}', isNew: 'true' },
  });
  const long = kept({ service_versions: { all: Array.from({ length: 500 }, () => 7) } });
  t.is(String(long?.service_versions?.['all']).length, 128);
});

test('what is absent, null or unknown stays away', (t) => {
  for (const report of [undefined, null, {}]) t.deepEqual(hostReport.parse(report), report);
  t.deepEqual(kept({ cpu_pct: null, gpu_pct: 3 }), { cpu_pct: null });
});

test('another type than the documented one is refused', (t) => {
  const wrong = [
    ...[{ cpu_pct: '12' }, { ram_pct: true }, { disk_pct: [] }],
    ...[{ docker_container_count: 1.5 }, { docker_container_count: '2' }],
    ...[{ service_versions: [] }, { service_versions: 'all' }, [], 'fine', 7],
  ];
  for (const report of wrong) t.false(isTaken(report), JSON.stringify(report));
});
