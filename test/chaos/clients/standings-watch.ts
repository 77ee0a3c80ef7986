import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { History } from './history.ts';

const everyMs = 1_000;
const atOnce = 3;

/** Validators ask for their weights all the time, each time another few; answers are in the history. */
export function watchStandings(validators: readonly SignedClient[], history: History) {
  let turn = 0;
  return systemClock.every(everyMs, async () => {
    const asking = Array.from({ length: atOnce }, () => validators[turn++ % validators.length]);
    await Promise.all(
      asking.map((client) =>
        client
          ?.request('GET', '/v1/validator/weight-salt')
          .catch((error: unknown) => history.troubles.push(String(error))),
      ),
    );
  });
}
