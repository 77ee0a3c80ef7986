import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { credentialsService } from '../../../actors/services/credentials/messages.ts';
import { serve } from '../../../actors/services/service-handler.ts';
import { lendKey } from '../../../apps/edge/inference/lend-key.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createServiceBus } from '../../../infra/nats/service-bus.ts';
import { readCommand } from '../../../infra/nats/wire.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';
import { privateNats } from '../../support/cluster.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';

const subject = 'svc.credentials';

/** A miner with both providers, a live run of its agent, and an edge that asks for keys over a broker. */
async function openEdge(t: ExecutionContext) {
  const desk = await openLoanDesk(t);
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  const deps = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const bus = createCommandBus(deps);
  for (const id of ['providera', 'providerb'] as const) {
    await desk.connect('alice', id, `demo-${randomUUID()}`);
  }
  const evalRunId = await desk.plantRun('alice');
  await desk.token(evalRunId);
  /** By command: an attempt more, on a busy machine, is none. */
  const asked = new Map<string, string>();
  connection.subscribe(subject, {
    callback: (_, message) => {
      const command = readCommand(message);
      if (command !== undefined) asked.set(command.id, command.type);
    },
  });
  return {
    desk,
    evalRunId,
    serve: () => {
      const served = serve(createServiceBus(deps), credentialsService, desk.service);
      t.teardown(() => served.close());
    },
    /** The one instance so far: it takes a request and does nothing. Resolves when it has. */
    freezeOne: () =>
      new Promise<void>((resolve) => {
        connection.subscribe(subject, { queue: subject, max: 1, callback: () => resolve() });
      }),
    lend: (provider: ProviderId, refused?: string) => {
      const wish = { evalRunId, provider, ...(refused !== undefined && { refused }) };
      return lendKey(wish, { bus, seal: desk.seal, newId: randomId });
    },
    /** The types of the commands since it was asked last. */
    asked: () => {
      const types = [...asked.values()];
      asked.clear();
      return types;
    },
  };
}

// The broker deals out requests to all instances alike, and goes on doing so to one that is frozen.
test('an agent whose key lies ready does not feel that an instance is frozen', async (t) => {
  const { desk, evalRunId, serve, freezeOne, lend } = await openEdge(t);
  const { text } = await desk.key(evalRunId, 'providera');
  const frozen = freezeOne();

  const lent = lend('providera');
  await frozen;
  serve();

  t.is((await lent).accessKey, text);
});

test('a key that lies ready costs one command, and one that must be made one more', async (t) => {
  const { desk, serve, lend, asked } = await openEdge(t);
  const { providera, providerb } = desk.standIns;
  const made = () => [providera.counts.keysMade, providerb.counts.keysMade];
  const [madeA = 0, madeB = 0] = made();
  serve();

  const ready = await lend('providera');
  t.deepEqual(asked(), ['find-key']);
  await lend('providerb');
  t.deepEqual(asked(), ['find-key', 'lend-key']);
  await lend('providerb');
  t.deepEqual(asked(), ['find-key']);
  t.not((await lend('providera', ready.keyId)).accessKey, ready.accessKey);
  t.deepEqual(asked(), ['lend-key'], 'what was found would be the refused one');
  t.deepEqual(made(), [madeA + 1, madeB + 1]);
});
