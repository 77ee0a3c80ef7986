import type { RegistrationCache } from '../../../infra/chain/registration-cache.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import type { Registrations } from './registrations.ts';

/** The subnet's registrations, with coldkeys in the spelling of the API. */
export function chainRegistrations(cache: RegistrationCache): Registrations {
  return {
    standing: async (publicKeyHex) => {
      const found = await cache.roleOf(publicKeyHex);
      if (found === 'unregistered') return undefined;
      const { role, uid, stake, coldkey } = found;
      const owner = coldkey === null ? null : encodeHotkey(Buffer.from(coldkey, 'hex'));
      return { role, uid, stake, coldkey: owner };
    },
    isKnownAbsent: (publicKeyHex) => cache.peek(publicKeyHex) === 'unregistered',
    forget: (publicKeyHex) => cache.forget(publicKeyHex),
  };
}
