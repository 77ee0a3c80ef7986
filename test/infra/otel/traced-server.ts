/** A process of its own for register.test.ts: one traced route, and the drain that a main does. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { shutdownTelemetry } from '../../../infra/otel/shutdown.ts';
import { createTelemetry } from '../../../infra/telemetry/telemetry.ts';
import { Fault } from '../../../machines/fault.ts';

const telemetry = createTelemetry();
const cause = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
const unrecorded = { traceparent: `00-${'e'.repeat(32)}-${'f'.repeat(16)}-00` };
let clockAhead: number | undefined = 3;
const stopWatching = [
  telemetry.gauge('paddock.mailbox.depth', () => 7),
  telemetry.gauge('paddock.edge.clock_ahead', () => clockAhead),
];

const app = express();
app.get('/v1/things/:id', async (_request, response) => {
  clockAhead = undefined;
  telemetry.count('paddock.heartbeats', 2);
  telemetry.record('paddock.commit.duration', 3);
  const options = {
    kind: 'client',
    links: [unrecorded, cause],
    attributes: { commands: 3 },
  } as const;
  const headers = await telemetry.span('commit', options, async () => telemetry.traceHeaders());
  await telemetry
    .span('refused', {}, () => Promise.reject(new Fault('AT_CAPACITY', 'no more')))
    .catch(() => undefined);
  await telemetry
    .span('broken', { parent: cause }, () => Promise.reject(new Error('no store')))
    .catch(() => undefined);
  response.json({ traceId: telemetry.traceId(), headers });
});
app.get('/health', (_request, response) => {
  response.json({ traceId: telemetry.traceId() ?? null });
});

const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${JSON.stringify(server.address())}\n`);
await once(process, 'SIGTERM');
for (const stop of stopWatching) stop();
server.close();
server.closeAllConnections();
await shutdownTelemetry();
