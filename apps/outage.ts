import { VerifierOverloaded } from '../infra/crypto/sr25519-verifier.ts';
import { StorageUnavailable } from '../infra/object-store/storage-unavailable.ts';
import { ChainUnavailable } from '../infra/ports/chain.ts';
import { SealKeyMissing } from '../infra/ports/seal.ts';
import { isOutage } from '../infra/postgres/failure.ts';
import { AnalyserOverloaded } from '../infra/python/analyser-overloaded.ts';
import { Fault } from '../machines/fault.ts';

/**
 * What a caller is told of an error. Faults are meant for callers; of a neighbour's outage they
 * learn which one, so that they repeat; a defect is ours alone.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ChainUnavailable) {
    return new Fault('CHAIN_UNAVAILABLE', 'The chain cannot be asked right now.');
  }
  if (error instanceof StorageUnavailable) {
    return new Fault('STORAGE_UNAVAILABLE', 'The object store cannot be reached right now.');
  }
  if (error instanceof VerifierOverloaded) {
    return new Fault('OVERLOADED', 'Too many signatures wait to be checked; try again soon.');
  }
  if (error instanceof AnalyserOverloaded) {
    return new Fault(
      'OVERLOADED',
      'Files cannot be analysed in their time right now; try again soon.',
    );
  }
  if (error instanceof SealKeyMissing) {
    // Another process may have the key: in the middle of a rotation that is what helps.
    return new Fault('STORE_UNAVAILABLE', 'A stored secret cannot be opened here right now.');
  }
  if (isOutage(error)) {
    return new Fault('STORE_UNAVAILABLE', 'The database cannot be reached right now.');
  }
  return new Fault('INTERNAL_ERROR', 'Something went wrong on our side.');
}
