import { type Keypair, keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';

/** The same seed gives the same keys, so that a second start meets the miners of the first. */
export function participantKeypair(
  seed: number,
  role: 'miner' | 'validator',
  index: number,
): Keypair {
  return keypairFromSeed(Buffer.from(participantSeed(seed, role, index), 'hex'));
}

/** 64 hex digits, as a process that is one of them takes its key. */
export function participantSeed(seed: number, role: 'miner' | 'validator', index: number): string {
  return sha256Hex(`paddock/${seed}/${role}/${index}`);
}
