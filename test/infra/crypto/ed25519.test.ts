import test from 'ava';
import { createEd25519Signer, verifyEd25519 } from '../../../infra/crypto/ed25519.ts';

// RFC 8032, section 7.1, test 2.
const seed = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';
const publicKey = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
const signature =
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
  '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00';
const message = Uint8Array.of(0x72);

test('signs as the standard says', (t) => {
  const signer = createEd25519Signer(Buffer.from(seed, 'hex'));

  t.is(signer.publicKey, publicKey);
  t.is(signer.sign(message), signature);
  t.true(verifyEd25519(message, signature, publicKey));
});

test('anything else proves nothing and throws nothing', (t) => {
  const flipped = signature.replace(/^9/, '8');
  t.false(verifyEd25519(message, flipped, publicKey));
  t.false(verifyEd25519(Uint8Array.of(0x73), signature, publicKey));
  t.false(verifyEd25519(message, signature, '0'.repeat(64)));
  t.false(verifyEd25519(message, signature, 'no key'));
  t.false(verifyEd25519(message, 'no signature', publicKey));
});
