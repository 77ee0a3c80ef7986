import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { encodeHotkey } from '../../infra/crypto/ss58.ts';

export interface Forgery {
  readonly method: string;
  readonly path: string;
  readonly head: string;
  readonly body: string;
}

export interface ForgerPlan {
  readonly baseUrls: readonly string[];
  /** Of honest validators: forgers name them. */
  readonly hotkeys: readonly string[];
  /** Signed header lines that were accepted once. */
  readonly heard: readonly string[];
}

const noBody = { method: 'POST', body: '{}' };
const heartbeat = () => `/v1/validator/evaluation-runs/${randomUUID()}/heartbeat`;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** What nothing short of the curve's arithmetic tells from a signature. */
function plausibleSignature(): string {
  const bytes = randomBytes(64);
  bytes[63] = ((bytes[63] ?? 0) & 0x0f) | 0x80;
  return `0x${bytes.toString('hex')}`;
}

function signedBy(hotkey: string, changed: Readonly<Record<string, string>> = {}): string {
  const headers = {
    'x-hotkey': hotkey,
    'x-timestamp': String(nowSeconds()),
    'x-nonce': randomUUID(),
    'x-signature': plausibleSignature(),
    ...changed,
  };
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

const malformed = [
  { 'x-signature': '0x' },
  { 'x-nonce': '7' },
  { 'x-timestamp': '1e9' },
  { 'x-hotkey': '5Forged' },
  { 'x-hotkey': '' },
];

type Forge = (plan: ForgerPlan) => Forgery;

/** What is sent, and of a hundred how many. */
const mix: readonly (readonly [share: number, forge: Forge])[] = [
  [40, (plan) => ({ ...noBody, path: heartbeat(), head: signedBy(one(plan.hotkeys)) })],
  [10, (plan) => ({ ...noBody, path: heartbeat(), head: one(plan.heard) })],
  [10, () => ({ ...noBody, path: heartbeat(), head: signedBy(encodeHotkey(randomBytes(32))) })],
  [
    15,
    (plan) => ({ ...noBody, path: heartbeat(), head: signedBy(one(plan.hotkeys), one(malformed)) }),
  ],
  [
    5,
    ({ hotkeys }) => {
      const late = { 'x-timestamp': String(nowSeconds() - 90) };
      return { ...noBody, path: heartbeat(), head: signedBy(one(hotkeys), late) };
    },
  ],
  [
    10,
    () => {
      const head = `authorization: Bearer ses_${randomBytes(32).toString('hex')}\r\n`;
      return { ...noBody, path: heartbeat(), head };
    },
  ],
  [5, (plan) => json('/v1/auth/challenge', { hotkey: one(plan.hotkeys) })],
  [
    5,
    (plan) =>
      json('/v1/auth/session', {
        hotkey: one(plan.hotkeys),
        challenge: `paddock-auth:${nowSeconds()}:${randomBytes(16).toString('hex')}`,
        signature: plausibleSignature(),
      }),
  ],
];

export function forge(plan: ForgerPlan): Forgery {
  let left = randomInt(100);
  for (const [share, make] of mix) {
    left -= share;
    if (left < 0) return make(plan);
  }
  throw new Error('the shares add up to less than a hundred');
}

function json(path: string, body: object): Forgery {
  return { method: 'POST', path, head: '', body: JSON.stringify(body) };
}

function one<T>(all: readonly T[]): T {
  const chosen = all[randomInt(all.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}
