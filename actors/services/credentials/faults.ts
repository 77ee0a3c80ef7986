import type { Transaction } from '../../../infra/ports/sql.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { isBanned } from '../is-banned.ts';

const retryAfterSeconds = 5;
const wait = { retry_after_seconds: retryAfterSeconds };

export async function requireNoBan(tx: Transaction, hotkey: string): Promise<void> {
  if (await isBanned(tx, hotkey)) throw refusal('BANNED');
}

export function notConnected(): Fault {
  return refusal('NOT_CONNECTED');
}

export function rejected(): Fault {
  return refusal('CREDENTIAL_REJECTED');
}

/** What the provider may have given in its place is lost or overtaken: to send this one again helps nobody. */
export function spent(): Fault {
  return refusal('CREDENTIAL_REJECTED', {
    says:
      'The provider does not accept this credential, which was shown to it before: one that is good for a ' +
      'single use is spent by that.',
    next: 'Make a new one at the provider, and store that.',
  });
}

/** Until somebody sets its address, so to repeat it would never help. */
export function unused(): Fault {
  return refusal('UNKNOWN_PROVIDER', {
    says: 'This provider is not in use here.',
    next: 'Connect another provider.',
  });
}

/** An outage tells a validator that its agent did not fail (decision record 78). */
export function unavailable(says: string, isOfProvider: boolean): Fault {
  const failed = isOfProvider && { provider_failed: true };
  return refusal('PROVIDER_UNAVAILABLE', { says, extras: { ...wait, ...failed } });
}

export function outcomeUnknown(): Fault {
  return refusal('OUTCOME_UNKNOWN', { extras: wait });
}
