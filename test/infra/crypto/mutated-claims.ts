import type { Claim } from '../../../infra/crypto/claim-room.ts';
import { type Keypair, keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import type { Dice } from '../../fuzz/dice.ts';
import { badEncodings } from './sr25519-vectors.ts';

const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;
const fieldPrime = 2n ** 255n - 19n;
const mark = 0x80;

interface Drawn extends Claim {
  /** In what it differs from a good one. */
  readonly way: string;
}

/** A claim with all that a change may need. */
interface Made extends Claim {
  readonly dice: Dice;
  /** A good one of another signer over another text. */
  readonly other: Claim;
}

/** Each leaves what it does not name as it was. */
const ways: Readonly<Record<string, (made: Made) => Partial<Claim>>> = {
  'left as it was': () => ({}),
  'a bit of the signature': ({ dice, signature }) => ({ signature: bent(dice, signature) }),
  'a bit of the key': ({ dice, publicKey }) => ({ publicKey: bent(dice, publicKey) }),
  'a bit of the message': ({ dice, message }) => ({ message: bent(dice, message) }),
  'a byte of R': ({ dice, signature }) => ({ signature: withByte(dice, signature, 0) }),
  'a byte of s': ({ dice, signature }) => ({ signature: withByte(dice, signature, 32) }),
  'the key of another': ({ other }) => ({ publicKey: other.publicKey }),
  'the signature of another': ({ other }) => ({ signature: other.signature }),
  'the message of another': ({ other }) => ({ message: other.message }),
  'R of another': ({ signature, other }) => ({ signature: withR(signature, other.signature) }),
  's of another': ({ signature, other }) => ({ signature: withR(other.signature, signature) }),
  's + L': ({ signature }) => ({ signature: withS(signature, sOf(signature) + groupOrder) }),
  's near L': ({ dice, signature }) => ({
    signature: withS(signature, groupOrder + BigInt(dice.whole(-2, 2))),
  }),
  's near 0': ({ dice, signature }) => ({ signature: withS(signature, BigInt(dice.whole(0, 2))) }),
  '-s': ({ signature }) => ({ signature: withS(signature, groupOrder - sOf(signature)) }),
  'no mark': ({ signature }) => ({ signature: withLast(signature, (last) => last & ~mark) }),
  'R that is no encoding': ({ dice, signature }) => ({
    signature: withR(signature, encoded(dice)),
  }),
  'a key that is no encoding': ({ dice }) => ({ publicKey: encoded(dice) }),
  'p - key': ({ publicKey }) => ({ publicKey: littleEndian(fieldPrime - numberOf(publicKey)) }),
  'key + p': ({ publicKey }) => ({ publicKey: littleEndian(fieldPrime + numberOf(publicKey)) }),
  'any key that may be one': ({ dice }) => ({ publicKey: canonicalKey(dice) }),
  'any key': ({ dice }) => ({ publicKey: anyBytes(dice, 32) }),
  'any signature with the mark': ({ dice }) => ({ signature: withS(anyBytes(dice, 64), 1n) }),
  'the zero key, under which R = 0 and s = 0 are good': () => ({
    publicKey: new Uint8Array(32),
    signature: withLast(new Uint8Array(64), () => mark),
  }),
  'the halves of the signature in the other order': ({ signature }) => ({
    signature: joined(signature.subarray(32), signature.subarray(0, 32)),
  }),
  'a signature of another length': ({ dice, signature }) => ({
    signature: joined(signature, signature).subarray(0, dice.pick([0, 1, 32, 63, 65, 128])),
  }),
  'a key of another length': ({ dice, publicKey }) => ({
    publicKey: joined(publicKey, publicKey).subarray(0, dice.pick([0, 1, 31, 33, 64])),
  }),
  'a type before the signature': ({ signature }) => ({
    signature: joined(Uint8Array.of(1), signature),
  }),
  'a type instead of its last byte': ({ signature }) => ({
    signature: joined(Uint8Array.of(1), signature).subarray(0, 64),
  }),
  'the message as wallets wrap it': ({ message }) => ({
    message: joined(Buffer.from('<Bytes>'), message, Buffer.from('</Bytes>')),
  }),
  'the message in hex': ({ message }) => ({ message: Buffer.from(message.toHex()) }),
  'the signature in hex': ({ signature }) => ({ signature: Buffer.from(signature.toHex()) }),
  'a longer message': ({ message }) => ({ message: joined(message, Uint8Array.of(0)) }),
  'no message': () => ({ message: new Uint8Array() }),
};

/** Good claims of a few signers, and each of them bent in one way, by the dice. */
export function* mutatedClaims(dice: Dice): Generator<Drawn> {
  const good = goodClaims(dice);
  const names = Object.keys(ways);
  for (;;) {
    const claim = good[dice.whole(0, good.length - 1)];
    const other = good[dice.whole(0, good.length - 1)];
    const way = names[dice.whole(0, names.length - 1)] ?? '';
    if (claim === undefined || other === undefined) throw new RangeError('nobody signed anything');
    yield { ...claim, ...ways[way]?.({ ...claim, dice, other }), way };
  }
}

const signers = 8;
const textsOfEach = 16;

function goodClaims(dice: Dice): readonly Claim[] {
  const pairs = Array.from({ length: signers }, () => keypairFromSeed(anyBytes(dice, 32)));
  return pairs.flatMap((pair) => Array.from({ length: textsOfEach }, () => signed(dice, pair)));
}

function signed(dice: Dice, pair: Keypair): Claim {
  const message = anyBytes(dice, dice.whole(0, 300));
  return { message, signature: pair.sign(message), publicKey: pair.publicKey };
}

function anyBytes(dice: Dice, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => dice.whole(0, 255));
}

function bent(dice: Dice, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = dice.whole(0, Math.max(0, bytes.length - 1));
  copy[at] = (copy[at] ?? 0) ^ (1 << dice.whole(0, 7));
  return copy;
}

/** One of the 32 from there on. */
function withByte(dice: Dice, bytes: Uint8Array, from: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[from + dice.whole(0, 31)] = dice.whole(0, 255);
  return copy;
}

function withLast(bytes: Uint8Array, change: (last: number) => number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[copy.length - 1] = change(copy.at(-1) ?? 0);
  return copy;
}

function withR(signature: Uint8Array, from: Uint8Array): Uint8Array {
  return joined(from.subarray(0, 32), signature.subarray(32));
}

/** With the mark. */
function withS(signature: Uint8Array, s: bigint): Uint8Array {
  return withLast(joined(signature.subarray(0, 32), littleEndian(s)), (last) => last | mark);
}

function sOf(signature: Uint8Array): bigint {
  return numberOf(withLast(signature.subarray(32), (last) => last & ~mark));
}

function numberOf(littleEnd: Uint8Array): bigint {
  return BigInt(`0x${Uint8Array.from(littleEnd).reverse().toHex()}`);
}

function littleEndian(number: bigint): Uint8Array {
  const digits = (((number % 2n ** 256n) + 2n ** 256n) % 2n ** 256n).toString(16);
  return Uint8Array.fromHex(digits.padStart(64, '0')).reverse();
}

function encoded(dice: Dice): Uint8Array {
  return Uint8Array.fromHex(dice.pick(badEncodings) ?? '');
}

/** Every second one is no point of the curve. */
function canonicalKey(dice: Dice): Uint8Array {
  const key = withLast(anyBytes(dice, 32), (last) => last & 0x7f);
  key[0] = (key[0] ?? 0) & 0xfe;
  return key;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
