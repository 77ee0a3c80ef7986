import type { IncomingMessage } from 'node:http';
import { bearerTokenOf, sessionToken } from './authenticator.ts';
import type { Identity } from './identity.ts';

/**
 * Whether a request says to come from who proved himself within ten minutes. A claim, not a proof: it
 * decides only who is looked at first, and strangers have their share of the time whoever claims it.
 */
export function familiarity(
  { callers, turns }: Pick<Identity, 'callers' | 'turns'>,
  addressOf: (request: IncomingMessage) => string,
): (request: IncomingMessage) => boolean {
  return (request) => {
    const { headers } = request;
    if (headers.authorization !== undefined) {
      const token = bearerTokenOf(headers) ?? '';
      return sessionToken.test(token) && callers.isFamiliar(callers.hashOf(token));
    }
    const { 'x-hotkey': hotkey } = headers;
    if (typeof hotkey !== 'string' || headers['x-signature'] === undefined) return false;
    return turns.isFamiliar({ address: addressOf(request), hotkey });
  };
}
