import test from 'ava';
import type { Sighting } from '../../actors/services/presence/messages.ts';
import { createPresence } from '../../apps/edge/presence.ts';
import type { CommandBus } from '../../infra/ports/bus.ts';
import { ManualClock } from '../support/manual-clock.ts';

const messageBytesMax = 1_000_000;

test('hosts that say as much as they may do not silence the others', async (t) => {
  const reported: string[] = [];
  const bus = {
    call: async (_service: string, request: { readonly body: unknown }) => {
      const { sightings } = request.body as { sightings: readonly Sighting[] };
      const bytes = Buffer.byteLength(JSON.stringify(request.body));
      if (bytes > messageBytesMax) throw new Error('larger than a message may be');
      reported.push(...sightings.map(({ hotkey }) => hotkey));
      return {};
    },
  } as unknown as CommandBus;
  const presence = createPresence({ bus, clock: new ManualClock(), time: new ManualClock() });
  const loud = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`service-${index}`, 'v'.repeat(128)]),
  );
  const hotkeys = Array.from({ length: 60 }, (_, index) => `validator-${index}`);
  for (const hotkey of hotkeys) presence.seen(hotkey, { service_versions: loud });
  await presence.start();
  await presence.stop();
  t.deepEqual(reported, hotkeys);
});
