import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { loadQuickChecks, type QuickCheck } from '../../../infra/crypto/quick-sr25519.ts';
import { Sr25519Judge } from '../../../infra/crypto/sr25519-judge.ts';
import { keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import { loadStrictCheck } from '../../../infra/crypto/strict-sr25519.ts';
import { compareLibraries } from './compare-libraries.ts';
import { badEncodings } from './sr25519-vectors.ts';

const pair = keypairFromSeed(new Uint8Array(32).fill(7));
const { publicKey } = pair;
const message = Buffer.from('whatever is signed');
const signed = () => ({ message, signature: pair.sign(message), publicKey });
const forged = () => ({ ...signed(), message: Buffer.from('something else') });
// No point of the curve, and nothing in the spelling says so.
const noPoint = Uint8Array.fromHex(badEncodings.find((each) => each.startsWith('26948d')) ?? '');

/** Tells what the quick library is asked, and puts what it dies of in place of what `isDeadly` names. */
async function watched(isDeadly: (asked: number) => boolean = () => false) {
  const newQuickCheck = await loadQuickChecks();
  const seen = { instances: 0, verdicts: [] as boolean[], asked: 0 };
  const newWatchedCheck = (): QuickCheck => {
    const check = newQuickCheck();
    seen.instances += 1;
    return (claim) => {
      seen.asked += 1;
      const verdict = check(isDeadly(seen.asked) ? { ...claim, publicKey: noPoint } : claim);
      seen.verdicts.push(verdict);
      return verdict;
    };
  };
  const isGoodStrictly = await loadStrictCheck();
  const judge = new Sr25519Judge({ newQuickCheck: newWatchedCheck, isGoodStrictly });
  return { judge, seen };
}

test('the quick library is shown only keys under which something was proved', async (t) => {
  const { judge, seen } = await watched();

  t.false(judge.isGood(forged()));
  t.false(judge.isGood({ ...signed(), publicKey: noPoint }));
  t.true(judge.isGood(signed()));
  t.is(seen.asked, 0);
  t.true(judge.isGood(signed()));
  t.false(judge.isGood(forged()));
  t.false(judge.isGood({ ...signed(), publicKey: noPoint }));
  t.deepEqual(seen.verdicts, [true, false]);
  t.is(judge.traps, 0);
});

test('the death of the quick library costs an instance and no verdict', async (t) => {
  const { judge, seen } = await watched((asked) => asked === 2 || asked === 3);
  t.true(judge.isGood(signed()));
  t.true(judge.isGood(signed()));

  t.true(judge.isGood(signed()), 'died of');
  t.false(judge.isGood(forged()), 'the new instance too');
  t.is(judge.traps, 2);
  t.is(seen.instances, 3);
  t.deepEqual(seen.verdicts, [true]);
  // It was last seen with a forgery, which proves no key.
  t.true(judge.isGood(signed()));
  t.is(seen.asked, 3);
  t.true(judge.isGood(signed()));
  t.false(judge.isGood(forged()));
  t.deepEqual(seen.verdicts, [true, true, false]);
  t.is(judge.traps, 2);
});

test('a verifier outlives what the quick library dies of, and prints nothing', async (t) => {
  const program = fileURLToPath(new URL('./trapped-verifier.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  const { verdicts, traps } = JSON.parse(stdout) as {
    readonly verdicts: readonly { readonly bad: boolean; readonly good: boolean }[];
    readonly traps: number;
  };

  t.deepEqual(
    verdicts,
    badEncodings.map(() => ({ bad: false, good: true })),
  );
  // The others never come to the thread.
  t.true(traps >= 8, `${traps} traps`);
  t.is(stderr, '');
});

// A million of them: `npm run proof:signatures`.
test('the verdict is that of wasm-crypto alone, whatever is bent', async (t) => {
  const { good, traps, trapsOfTrusting, differences } = await compareLibraries(1, 4000);

  t.deepEqual(differences, []);
  t.is(traps, 0);
  t.true(good > 50, `${good} good ones`);
  t.true(trapsOfTrusting > 5, `the quick library died ${trapsOfTrusting} times`);
});
