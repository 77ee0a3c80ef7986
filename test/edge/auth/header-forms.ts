import { createHash, randomUUID } from 'node:crypto';
import { encodeAddress } from '@polkadot/util-crypto/address';
import { base58Encode } from '@polkadot/util-crypto/base58';
import { decodeHotkey } from '../../../infra/crypto/ss58.ts';
import type { TestKey } from '../../support/edge-client.ts';

/** What is sent, in its order; each signed as it is sent, so that nothing but its form is wrong. */
export interface Forms {
  readonly hotkey: string;
  readonly timestamp: string;
  readonly nonce: string;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

export function plainForms(key: TestKey): Forms {
  return { hotkey: key.hotkey, timestamp: String(nowSeconds()), nonce: randomUUID() };
}

export function signedLines(key: TestKey, forms: Forms, signature?: string): string[] {
  const { hotkey, timestamp, nonce } = forms;
  const text = `${hotkey}:${timestamp}:${nonce}`;
  return [
    `X-Hotkey: ${hotkey}`,
    `X-Timestamp: ${timestamp}`,
    `X-Nonce: ${nonce}`,
    `X-Signature: ${signature ?? key.sign(text)}`,
  ];
}

type Spell = (plain: string) => string;

/** Other spellings of the same second, and what is none. */
export const timestampForms: readonly Spell[] = [
  (at) => `+${at}`,
  (at) => `-${at}`,
  (at) => `0${at}`,
  (at) => `${at}.0`,
  (at) => `${at}.`,
  (at) => `${at}e0`,
  (at) => `${Number(at) / 10}e1`,
  (at) => `0x${Number(at).toString(16)}`,
  (at) => `0o${Number(at).toString(8)}`,
  (at) => `${at}000`,
  (at) => `${at}n`,
  (at) => `${at}s`,
  (at) => `${at},${at}`,
  (at) => `${at};`,
  (at) => `"${at}"`,
  (at) => `${at.slice(0, 5)} ${at.slice(5)}`,
  (at) => `${at.slice(0, 4)}_${at.slice(4)}`,
  (at) => `\u00a0${at}`,
  (at) => at.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  (at) => at.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (at) => new Date(Number(at) * 1000).toISOString(),
  () => 'now',
  () => 'NaN',
  () => 'Infinity',
  () => 'null',
  () => '9'.repeat(30),
];

const versioned = (version: string) => (nonce: string) =>
  `${nonce.slice(0, 14)}${version}${nonce.slice(15)}`;

export const nonceForms: readonly Spell[] = [
  ...['0', '1', '2', '3', '5', '6', '7', '8', 'f'].map(versioned),
  ...['0', '7', 'c', 'e', 'f'].map((variant) => (nonce: string) => {
    return `${nonce.slice(0, 19)}${variant}${nonce.slice(20)}`;
  }),
  () => '00000000-0000-0000-0000-000000000000',
  () => 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  (nonce) => nonce.replaceAll('-', ''),
  (nonce) => `{${nonce}}`,
  (nonce) => `(${nonce})`,
  (nonce) => `urn:uuid:${nonce}`,
  (nonce) => `"${nonce}"`,
  (nonce) => `${nonce}-`,
  (nonce) => `${nonce}0`,
  (nonce) => nonce.slice(0, -1),
  (nonce) => `${nonce},${nonce}`,
  (nonce) => `${nonce}:${nonce}`,
  (nonce) => nonce.replaceAll('-', '\u2010'),
  (nonce) => `${nonce.slice(0, 8)} ${nonce.slice(9)}`,
  (nonce) => nonce.replace(/.$/, 'g'),
  (nonce) => nonce.replace(/.$/, '\u0430'),
  (nonce) => Buffer.from(nonce.replaceAll('-', ''), 'hex').toString('base64'),
  () => '1',
];

/** Addresses of the same key that are not its one accepted spelling. */
export const hotkeyForms: readonly Spell[] = [
  ...[0, 1, 2, 36, 41, 43, 63, 64, 255, 1284, 16_383].map((prefix) => (hotkey: string) => {
    return encodeAddress(decodeHotkey(hotkey) ?? '', prefix);
  }),
  // Prefix 42 in the form of two bytes, which is for numbers from 64 on.
  (hotkey) => spelt([0x4a, 0x80], hotkey, 2),
  (hotkey) => spelt([42], hotkey, 1),
  (hotkey) => spelt([42], hotkey, 3),
  (hotkey) => spelt([42], hotkey, 4),
  (hotkey) => base58Encode(Uint8Array.of(42, ...(decodeHotkey(hotkey) ?? []))),
  (hotkey) => base58Encode(decodeHotkey(hotkey) ?? new Uint8Array()),
  (hotkey) => `0x${Buffer.from(decodeHotkey(hotkey) ?? []).toString('hex')}`,
  (hotkey) => Buffer.from(decodeHotkey(hotkey) ?? []).toString('hex'),
  (hotkey) => hotkey.replace(/.$/, (last) => (last === 'z' ? 'y' : 'z')),
  (hotkey) => hotkey.replace(/^5./, (first) => (first === '5A' ? '5B' : '5A')),
  (hotkey) => hotkey.toLowerCase(),
  (hotkey) => hotkey.toUpperCase(),
  (hotkey) => `1${hotkey}`,
  (hotkey) => `${hotkey}1`,
  (hotkey) => hotkey.slice(0, -1),
  (hotkey) => `${hotkey},${hotkey}`,
  (hotkey) => `"${hotkey}"`,
  (hotkey) => `<${hotkey}>`,
  (hotkey) => `did:substrate:${hotkey}`,
  (hotkey) => hotkey.replace(/.$/, '0'),
  (hotkey) => `%35${hotkey.slice(1)}`,
  (hotkey) => `\uff15${hotkey.slice(1)}`,
];

/** @param checkBytes of the checksum that are written */
function spelt(prefix: readonly number[], hotkey: string, checkBytes: number): string {
  const body = Buffer.from([...prefix, ...(decodeHotkey(hotkey) ?? [])]);
  const checksum = createHash('blake2b512').update('SS58PRE').update(body).digest();
  return base58Encode(Buffer.concat([body, checksum.subarray(0, checkBytes)]));
}

/** Of a good signature's text, or of what was signed. */
export const signatureForms: readonly ((key: TestKey, text: string) => string)[] = [
  (key, text) => key.sign(text).slice(2),
  (key, text) => key.sign(text).replace('0x', '0X'),
  (key, text) => key.sign(text).slice(0, -2),
  (key, text) => `${key.sign(text)}00`,
  (key, text) => key.sign(text).replace('0x', '0x01'),
  (key, text) => `${key.sign(text)},${key.sign(text)}`,
  (key, text) => `"${key.sign(text)}"`,
  (key, text) => key.sign(text).replace(/.$/, 'g'),
  (key, text) => key.sign(text).replace(/(.{60})/, '$1 '),
  (key, text) => Buffer.from(key.sign(text).slice(2), 'hex').toString('base64'),
  () => `0x${'0'.repeat(128)}`,
  () => `0x${'0'.repeat(126)}80`,
  () => `0x${'f'.repeat(128)}`,
  () => '0x',
  () => 'null',
  (key, text) => key.sign(`${text}\n`),
  (key, text) => key.sign(`${text} `),
  (key, text) => key.sign(text.toLowerCase()),
  (key, text) => key.sign(`<Bytes>${text}</Bytes>`),
  (key, text) => key.sign(`0x${Buffer.from(text).toString('hex')}`),
  (key, text) => key.sign(text.split(':').toReversed().join(':')),
  (key, text) => key.sign(text.replaceAll(':', '')),
  (key, text) => key.sign(text.split(':').slice(0, 2).join(':')),
  (key, text) => key.sign(`GET:/v1/miner/agents:${text}`),
  (key) => key.sign(''),
];

/** Around a token that is good; none of these is it. */
export const bearerForms: readonly Spell[] = [
  () => '',
  () => 'Bearer',
  (token) => token,
  (token) => `Bearer  ${token}`,
  (token) => `Bearer\t${token}`,
  (token) => `Bearer: ${token}`,
  (token) => `Bearer=${token}`,
  (token) => `Bearer "${token}"`,
  (token) => `Bearer ${token},`,
  (token) => `Bearer ${token}, Bearer ${token}`,
  (token) => `Bearer ${token} ${token}`,
  (token) => `Bearer ${token};`,
  (token) => `Bearer ${token.toUpperCase()}`,
  (token) => `Bearer ${token.replace('ses_', 'SES_')}`,
  (token) => `Bearer ${token.replace('ses_', '')}`,
  (token) => `Bearer ${token.replace('ses_', 'inf_')}`,
  (token) => `Bearer ${token.slice(0, -1)}`,
  (token) => `Bearer ${token}0`,
  (token) => `Bearer ${token.replace('_', '%5f')}`,
  (token) => `Bearer \uff53${token.slice(1)}`,
  (token) => `Bearer ${createHash('sha256').update(token).digest('hex')}`,
  (token) => `Bearer ses_${createHash('sha256').update(token).digest('hex')}`,
  (token) => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
  (token) => `Token ${token}`,
  (token) => `Digest username="${token}"`,
  (token) => `Negotiate ${token}`,
  (token) => `Basic eDp5, Bearer ${token}`,
];
