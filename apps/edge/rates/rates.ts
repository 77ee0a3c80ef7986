import type { Config } from '../../../infra/config/config.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { EdgePeers } from '../../../infra/ports/edge-peers.ts';
import { SharedRate } from './shared-rate.ts';

/** Every limit that is counted by the minute, over all edges. */
export interface Rates {
  /** By address, over all requests without credentials, and all that need none or have no route. */
  readonly anonymous: SharedRate;
  /**
   * By address, over requests whose credentials let nobody in. Apart from the anonymous ones, so
   * that a client with a wrong clock takes no page from its neighbours, and of the same size.
   */
  readonly unproven: SharedRate;
  readonly challenge: SharedRate;
  readonly session: SharedRate;
  /** By proven key. */
  readonly hotkey: SharedRate;
}

/** Also answers the other edges for the keys that this one counts. */
export function createRates(
  config: Pick<
    Config,
    | 'challengeRatePerMinute'
    | 'hotkeyRatePerMinute'
    | 'publicRatePerMinute'
    | 'sessionRatePerMinute'
  >,
  deps: { readonly clock: Clock; readonly peers: EdgePeers },
): Rates {
  const rate = (name: string, limit: number) => new SharedRate({ name, limit }, deps);
  const rates = {
    anonymous: rate('anonymous', config.publicRatePerMinute),
    unproven: rate('unproven', config.publicRatePerMinute),
    challenge: rate('challenge', config.challengeRatePerMinute),
    session: rate('session', config.sessionRatePerMinute),
    hotkey: rate('hotkey', config.hotkeyRatePerMinute),
  };
  const byName = new Map(Object.entries(rates));
  deps.peers.answer((question) => {
    const space = question.indexOf(' ');
    const key = question.slice(space + 1);
    const asked = byName.get(question.slice(0, Math.max(0, space)));
    return asked === undefined || key === '' ? undefined : String(asked.count(key));
  });
  return rates;
}
