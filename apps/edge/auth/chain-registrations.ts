import type { RegistrationCache, SubnetRole } from '../../../infra/chain/registration-cache.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import type { Registrations, Standing } from './registrations.ts';

/** The subnet's registrations, with coldkeys in the spelling of the API. */
export function chainRegistrations(cache: RegistrationCache): Registrations {
  // The cache gives the same object for as long as the chain's answer is good: spelled once.
  const standings = new WeakMap<SubnetRole, Standing>();
  return {
    standing: async (publicKeyHex) => {
      const found = await cache.roleOf(publicKeyHex);
      if (found === 'unregistered') return undefined;
      const known = standings.get(found);
      if (known !== undefined) return known;
      const standing = standingOf(found);
      standings.set(found, standing);
      return standing;
    },
    isKnownAbsent: (publicKeyHex) => cache.peek(publicKeyHex) === 'unregistered',
    forget: (publicKeyHex) => cache.forget(publicKeyHex),
  };
}

function standingOf({ role, uid, stake, coldkey, ownedHotkeys }: SubnetRole): Standing {
  const owned = role === 'validator' ? ownedHotkeys : [];
  return {
    ...{ role, uid, stake },
    coldkey: coldkey === null ? null : spelled(coldkey),
    ownedHotkeys: owned === null ? null : owned.map(spelled),
  };
}

const spelled = (publicKeyHex: string) => encodeHotkey(Buffer.from(publicKeyHex, 'hex'));
