import type { Fault } from '../../machines/fault.ts';
import { refusal } from '../../machines/refusal.ts';

/** Also who signs a read hears it: that a nonce was used has to be written down. */
export function readOnly(): Fault {
  return refusal('READ_ONLY');
}
