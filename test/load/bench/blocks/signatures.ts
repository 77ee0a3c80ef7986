import { participantKeypair } from '../../../../apps/world/participants/keys.ts';
import { createVerifierPool } from '../../../../infra/crypto/sr25519-verifier.ts';
import type { SignatureVerifier } from '../../../../infra/ports/signatures.ts';
import { inParallel } from '../../../support/in-parallel.ts';
import { ownCpuUs } from '../../process-cpu.ts';
import { alternate } from '../alternate.ts';
import { type Block, mustBeRight } from '../block.ts';
import { checkedMessage, ed25519Check, wasmCheck } from '../floors.ts';
import { compared, read } from '../judge.ts';

const atOnce = 256;
const malformedCount = 20_000;

/** Checks a second of one core's time: threads, hand-over and all, and whatever else the machine does. */
export const signatures: Block = {
  name: 'signatures',
  goals: [1],
  isQuick: true,
  async run(lab) {
    const pool = createVerifierPool({ workers: 1 });
    await pool.start();
    const wasm = wasmCheck();
    const openssl = ed25519Check();
    const count = lab.sized(600, 1_500);
    const rounds = await alternate(Math.max(5, lab.rounds), {
      ours: () => perCoreSecond(count, () => checkAll(pool, count)),
      wasm: () => perCoreSecond(count, async () => repeat(count, wasm)),
      openssl: () => perCoreSecond(count, async () => repeat(count, openssl)),
    });
    const malformed = await malformedUs(pool);
    await pool.stop();
    const opensslRate = rounds.map(({ openssl: rate }) => rate).toSorted((a, b) => a - b);
    return [
      compared({
        ...{
          goal: 1,
          what: 'signature checks, per core',
          unit: '/s',
          to: 'peer',
          name: 'wasm-crypto',
        },
        pairs: rounds.map(({ ours, wasm: theirs }) => ({ ours, theirs })),
        also: { floor: { name: 'OpenSSL ed25519', value: opensslRate[rounds.length >> 1] ?? 0 } },
        ...{ must: 1, aim: 1.9, isHigherBetter: true },
      }),
      read({
        ...{ goal: 1, what: 'malformed signature refused', unit: 'µs', values: malformed },
        ...{ must: 5, isHigherBetter: false },
      }),
    ];
  },
};

async function perCoreSecond(count: number, work: () => Promise<void>): Promise<number> {
  const before = ownCpuUs();
  await work();
  return (count * 1e6) / (ownCpuUs() - before);
}

function repeat(count: number, check: () => boolean): void {
  for (let call = 0; call < count; call += 1) {
    if (!check()) mustBeRight(['a good signature was refused by a peer']);
  }
}

/** Every hundredth is a forgery: who says yes to everything is not fast but wrong. */
async function checkAll(pool: SignatureVerifier, count: number): Promise<void> {
  const { publicKey, sign } = participantKeypair(1, 'validator', 0);
  const good = sign(checkedMessage);
  const forged = Uint8Array.from(good);
  forged[3] = (forged[3] ?? 0) ^ 1;
  let wrong = 0;
  await inParallel(atOnce, Array.from({ length: count }), async (_, index) => {
    const isForged = index % 100 === 50;
    const isGood = await pool.verify(checkedMessage, isForged ? forged : good, publicKey);
    if (isGood === isForged) wrong += 1;
  });
  mustBeRight(wrong === 0 ? [] : [`${wrong} signatures had the wrong verdict`]);
}

async function malformedUs(pool: SignatureVerifier): Promise<readonly number[]> {
  const { publicKey, sign } = participantKeypair(1, 'validator', 0);
  const unmarked = sign(checkedMessage);
  unmarked[63] = (unmarked[63] ?? 0) & 0x7f;
  const values: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = ownCpuUs();
    for (let call = 0; call < malformedCount; call += 1) {
      if (await pool.verify(checkedMessage, unmarked, publicKey)) {
        mustBeRight(['a malformed signature was accepted']);
      }
    }
    values.push((ownCpuUs() - before) / malformedCount);
  }
  return values;
}
