import { validatorName } from '../demo/names.ts';
import { participantKeypair } from '../participants/keys.ts';
import type { Listener } from '../participants/participant-event.ts';
import { signedClient } from '../participants/signed-client.ts';
import { simulatedValidator } from '../participants/simulated-validator.ts';
import type { DaysOptions } from './play-days.ts';

// Nothing is waited for that a day of simulated time does not need.
const taskMs = 0;
const artifactsPerRun = 1;
const idleMs = 50;

/** The participant's client, which signs by the simulated clock. */
export function clientOf(options: DaysOptions, role: 'miner' | 'validator', index: number) {
  return signedClient({
    baseUrls: options.baseUrls,
    keypair: participantKeypair(options.seed, role, index),
    scheme: index % 2 === 0 ? 'signed-headers' : 'session',
    clock: options.time.clock,
  });
}

/**
 * All validators at work until `done`. They rest while the clock moves: a request that is signed
 * before a jump and read after it would be taken for a replay.
 */
export async function withValidators(
  options: DaysOptions,
  onEvent: Listener,
  done: () => Promise<void>,
): Promise<void> {
  const validators = Array.from({ length: options.validators }, (_, index) =>
    simulatedValidator({
      who: validatorName(index),
      client: clientOf(options, 'validator', index),
      clock: options.time.clock,
      onEvent,
      rule: { seed: options.seed, taskMs, artifactsPerRun },
      idleMs,
    }),
  );
  for (const validator of validators) void validator.start();
  try {
    await done();
  } finally {
    await Promise.all(validators.map((validator) => validator.stop()));
  }
}
