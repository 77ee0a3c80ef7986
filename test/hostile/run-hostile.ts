/**
 * `npm run test:hostile`: sends a million hostile requests (`--count`, `--seed`) at two edges and
 * holds each answer against what it may be. Ends with code 1 when anything was accepted, failed,
 * changed a row or hindered an honest caller. `--only ID` sends one request of a seed, and shows it.
 */
import { lineOf } from '../commands/command-line.ts';
import { hostileCommand } from '../commands/hostile-command.ts';
import { startServiceWorld } from '../support/service-world.ts';
import { categoriesOf } from './categories.ts';
import { gather } from './gather.ts';
import { runHostile } from './hostile-run.ts';
import { sendAlone } from './load/lone-connection.ts';
import { figuresOf, type ProcessFigures } from './process-figures.ts';
import { figureLine, reportLines } from './report.ts';
import { RequestSource } from './request-source.ts';
import { hostileSettings } from './settings.ts';
import { worldDoor } from './world-door.ts';

const values = lineOf(hostileCommand);

let restarts = 0;
await using world = await startServiceWorld({
  ...{ edges: values.edges, coordinators: values.coordinators },
  env: hostileSettings,
  onRestart: () => {
    restarts += 1;
  },
});
const door = await worldDoor(world);
const { seed } = values;
if (values.only === undefined) await flood();
else await replay(values.only);

async function flood(): Promise<void> {
  const { edges, coordinators } = world.service;
  const { postgres, nats } = world.neighbours.pids;
  const pids = [
    ...[...edges, ...coordinators].map(({ name, pid }) => [name, pid] as const),
    ...Object.entries({ postgres, nats, generator: process.pid }),
  ];
  const figures = new Map<string, (ProcessFigures | undefined)[]>();
  const measure = async () => {
    for (const [name, pid] of pids) {
      figures.set(name, [
        ...(figures.get(name) ?? []),
        pid === null ? undefined : await figuresOf(pid),
      ]);
    }
  };
  const startedMs = Date.now();
  const report = await runHostile({
    ...{ door, seed, count: values.count, measure },
    ...{ connections: values.connections, depth: values.depth },
    publicRatePerMinute: Number(hostileSettings.PUBLIC_RATE_PER_MINUTE),
    onProgress: (done) =>
      console.log(`${done} sent, ${Math.round((Date.now() - startedMs) / 1000)} s`),
  });
  for (const line of reportLines(report)) console.log(line);
  for (const [name, each] of figures) console.log(figureLine(name, each));
  const ended = restarts > 0 ? [`${restarts} processes ended`] : [];
  const objections = [...report.objections, ...ended];
  for (const objection of objections) console.log(`OBJECTION: ${objection}`);
  console.log(objections.length === 0 ? 'PROVED: hostile callers get nowhere.' : 'NOT PROVED');
  process.exitCode = objections.length === 0 ? 0 : 1;
}

async function replay(id: number): Promise<void> {
  const { material } = await gather(door);
  const request = new RequestSource(categoriesOf(material), seed).make(id);
  console.log(`${request.category}, expected ${request.expected.join()}`);
  console.log(JSON.stringify(request.bytes.toString('latin1')));
  for (const url of [...door.baseUrls, ...(request.lane === 'objects' ? [door.objects.url] : [])]) {
    const { statuses, body } = await sendAlone(Number(new URL(url).port), request);
    console.log(`${url}: ${statuses.join() || 'no answer'} ${body.toString().slice(0, 2000)}`);
  }
}
