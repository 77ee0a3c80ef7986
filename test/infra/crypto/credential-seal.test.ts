import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import { SealBroken, SealKeyMissing } from '../../../infra/ports/seal.ts';

const key = (id: string) => ({ id, key: new Uint8Array(randomBytes(32)) });

/** Whole characters: half of a surrogate pair has no bytes. */
const text = fc.string({ unit: 'grapheme' });

test('every text opens in its own context, under its own key', (t) => {
  const seal = createCredentialSeal([key('first'), key('second')]);
  fc.assert(
    fc.property(text, text, (plaintext, context) => {
      t.is(seal.open(seal.seal(plaintext, context), context), plaintext);
    }),
  );
});

test('a text opens in no other context', (t) => {
  const seal = createCredentialSeal([key('only')]);
  fc.assert(
    fc.property(text, text, text, (plaintext, context, other) => {
      fc.pre(context !== other);
      t.throws(() => seal.open(seal.seal(plaintext, context), other), { instanceOf: SealBroken });
    }),
  );
});

test('a sealed text says which key it needs and nothing of what it holds', (t) => {
  const seal = createCredentialSeal([key('2026.11')]);
  const sealed = seal.seal('a very secret word', 'credential/alice');
  t.regex(sealed, /^v1\.2026\.11\.[A-Za-z0-9_-]+$/);
  t.is(seal.open(sealed, 'credential/alice'), 'a very secret word');
  t.not(seal.seal('a very secret word', 'credential/alice'), sealed, 'every time a fresh nonce');
});

test('no changed byte goes unseen', (t) => {
  const seal = createCredentialSeal([key('k')]);
  const sealed = seal.seal('secret', 'here');
  const prefix = 'v1.k.';
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    for (const bit of [1, 128]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ bit, at);
      const other = `${prefix}${changed.toString('base64url')}`;
      t.throws(() => seal.open(other, 'here'), { instanceOf: SealBroken }, `byte ${at}`);
    }
  }
});

test('no changed or missing character goes unseen', (t) => {
  const seal = createCredentialSeal([key('k'), key('l')]);
  const sealed = seal.seal('secret!', 'here');
  for (let at = 0; at < sealed.length; at++) {
    for (const character of ['A', 'l', '.', '=', '\n', '']) {
      const other = sealed.slice(0, at) + character + sealed.slice(at + 1);
      if (other === sealed) continue;
      t.throws(() => seal.open(other, 'here'), { instanceOf: SealBroken }, other);
    }
  }
  for (const odd of ['', 'v1', 'v1.k.', 'v2.k.AAAA', `${sealed}=`, ` ${sealed}`, `${sealed}\n`]) {
    t.throws(() => seal.open(odd, 'here'), { instanceOf: SealBroken }, odd);
  }
});

test('after a rotation old texts open and new ones are sealed by the new key', (t) => {
  const [old, fresh] = [key('old'), key('new')];
  const before = createCredentialSeal([old]).seal('secret', 'here');
  const rotated = createCredentialSeal([fresh, old]);
  t.is(rotated.open(before, 'here'), 'secret');
  t.true(rotated.seal('secret', 'here').startsWith('v1.new.'));
  const retired = createCredentialSeal([fresh]);
  const missing = t.throws(() => retired.open(before, 'here'), { instanceOf: SealKeyMissing });
  t.is(missing.message, 'CREDENTIAL_KEYS of this process holds no key "old"');
});

test('a key that took over the name of another opens nothing of it', (t) => {
  const sealed = createCredentialSeal([key('k')]).seal('secret', 'here');
  const impostor = createCredentialSeal([key('k')]);
  const error = t.throws(() => impostor.open(sealed, 'here'), { instanceOf: SealBroken });
  t.false(JSON.stringify([error.message, error.cause]).includes('secret'));
});

test('a ring without a key is refused', (t) => {
  t.throws(() => createCredentialSeal([]));
});
