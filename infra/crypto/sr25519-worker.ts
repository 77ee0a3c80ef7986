import { parentPort } from 'node:worker_threads';
import { sr25519Verify, waitReady } from '@polkadot/wasm-crypto';
import { type PackedClaims, type ThreadReport, unpackClaims } from './sr25519-batch.ts';

if (parentPort === null) throw new Error('this file runs as a thread of the verifier pool');
const port = parentPort;

await waitReady();

// Nothing is caught: after a trap the library's memory cannot be trusted. The thread dies of it and
// the pool starts a new one.
port.on('message', (batch: PackedClaims) => {
  const verdicts = Uint8Array.from(unpackClaims(batch), (claim) =>
    sr25519Verify(claim.signature, claim.message, claim.publicKey) ? 1 : 0,
  );
  report({ kind: 'verdicts', verdicts });
});
report({ kind: 'ready' });

function report(message: ThreadReport): void {
  port.postMessage(message);
}
