import type { IncomingMessage } from 'node:http';
import { bearerTokenOf } from './authenticator.ts';
import type { Identity } from './identity.ts';

/**
 * Whether a request says to come from who proved himself within ten minutes. A claim, not a proof: it
 * decides only who is looked at first.
 */
export function familiarity(
  { callers, turns }: Pick<Identity, 'callers' | 'turns'>,
  addressOf: (request: IncomingMessage) => string,
): (request: IncomingMessage) => boolean {
  return (request) => {
    const { headers } = request;
    if (headers.authorization !== undefined)
      return callers.isFamiliar(bearerTokenOf(headers) ?? '');
    const { 'x-hotkey': hotkey } = headers;
    if (typeof hotkey !== 'string' || hotkey === '') return false;
    return turns.isFamiliar({ address: addressOf(request), hotkey });
  };
}
