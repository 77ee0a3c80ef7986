/**
 * A program of its own, so that its standard error can be read: a verifier whose thread shows the quick
 * library every key. Prints the verdicts on what that dies of, with a good signature after each.
 */
import { keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import { createVerifierPool } from '../../../infra/crypto/sr25519-verifier.ts';
import { badEncodings } from './sr25519-vectors.ts';

let traps = 0;
const program = new URL('./trusting-worker.ts', import.meta.url);
const onTraps = (more: number) => {
  traps += more;
};
const pool = createVerifierPool({ workers: 1, program, onTraps });
await pool.start();
const pair = keypairFromSeed(new Uint8Array(32).fill(7));
const message = Buffer.from('whatever is signed');
const signature = pair.sign(message);

const verdicts: { bad: boolean; good: boolean }[] = [];
for (const encoding of badEncodings) {
  verdicts.push({
    bad: await pool.verify(message, signature, Uint8Array.fromHex(encoding)),
    good: await pool.verify(message, pair.sign(message), pair.publicKey),
  });
}
await pool.stop();
console.log(JSON.stringify({ verdicts, traps }));
