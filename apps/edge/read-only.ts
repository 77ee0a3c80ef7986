import { Fault } from '../../machines/fault.ts';

/** Also who signs a read hears it: that a nonce was used has to be written down. */
export function readOnly(): Fault {
  return new Fault(
    'READ_ONLY',
    'The service only answers reads: its database is behind what it once acknowledged.',
  );
}
