import { VerifierOverloaded } from '../infra/crypto/sr25519-verifier.ts';
import { UnknownRefusal } from '../infra/nats/refused-reply.ts';
import { StorageUnavailable } from '../infra/object-store/storage-unavailable.ts';
import { PackInvalid } from '../infra/packs/pack-invalid.ts';
import { PackMissing } from '../infra/packs/pack-missing.ts';
import { ChainUnavailable } from '../infra/ports/chain.ts';
import { AnalyserOverloaded } from '../infra/ports/code-analysis.ts';
import { SealKeyMissing } from '../infra/ports/seal.ts';
import { isOutage } from '../infra/postgres/failure.ts';
import { Fault } from '../machines/fault.ts';
import { refusal } from '../machines/refusal.ts';

/**
 * What a caller is told of an error. Faults are meant for callers; of a neighbour's outage they
 * learn which one, so that they repeat; a defect is ours alone.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ChainUnavailable) {
    return refusal('CHAIN_UNAVAILABLE');
  }
  if (error instanceof StorageUnavailable) {
    return refusal('STORAGE_UNAVAILABLE');
  }
  if (isFullDisk(error)) {
    return refusal('STORAGE_UNAVAILABLE', {
      says: 'The disk on which this process keeps what is under way is full.',
    });
  }
  // Of an upload it is the uploader's, who was told; this one was taken, and has changed since.
  if (error instanceof PackInvalid) {
    return refusal('STORAGE_UNAVAILABLE', {
      says: 'The pack in the store is damaged.',
      next: 'Tell the operators of this service.',
    });
  }
  // Nor is this the caller's fault: who is told that there is no such pack lets go of its work.
  if (error instanceof PackMissing) {
    return refusal('STORAGE_UNAVAILABLE', {
      says: 'The pack is not in the store.',
      next: 'Tell the operators of this service.',
    });
  }
  if (error instanceof VerifierOverloaded) {
    return refusal('OVERLOADED', { says: 'Too many signatures wait to be checked.' });
  }
  if (error instanceof AnalyserOverloaded) {
    return refusal('OVERLOADED', { says: 'Files cannot be analysed in their time right now.' });
  }
  if (error instanceof SealKeyMissing) {
    // Another process may have the key: in the middle of a rotation that is what helps.
    return refusal('STORE_UNAVAILABLE', {
      says: 'A stored secret cannot be opened here right now.',
    });
  }
  if (error instanceof UnknownRefusal) {
    return refusal('OWNER_UNAVAILABLE', {
      says: `It was refused as ${error.code}, which this part of the service is too old to pass on.`,
    });
  }
  if (isOutage(error)) {
    return refusal('STORE_UNAVAILABLE');
  }
  return refusal('INTERNAL_ERROR');
}

/** Of this host; that of the database's has its own code. */
function isFullDisk(error: unknown): boolean {
  return (
    error instanceof Error && ['EDQUOT', 'ENOSPC'].includes(String(Reflect.get(error, 'code')))
  );
}
