import { parentPort } from 'node:worker_threads';
import { type PackedClaims, unpackClaims } from '../../../infra/crypto/sr25519-batch.ts';
import { deadlyMessage } from './deadly-message.ts';

// The verifier's own thread, except that one message ends it on the spot. Listening comes first,
// before the real program answers anything.
parentPort?.on('message', (batch: PackedClaims) => {
  const messages = unpackClaims(batch).map(({ message }) => Buffer.from(message).toString());
  if (messages.includes(deadlyMessage)) process.exit(3);
});
await import('../../../infra/crypto/sr25519-worker.ts');
