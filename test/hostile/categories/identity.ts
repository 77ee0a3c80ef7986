import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import type { Dice } from '../../fuzz/dice.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { type Category, type HostileRequest, kept, someHex } from '../hostile-request.ts';
import type { Material } from '../material.ts';
import { soughtRoutes } from './routes.ts';

type Headers = Record<string, string>;
type Flaw = (headers: Headers, dice: Dice) => Headers;

const names = ['X-Hotkey', 'X-Timestamp', 'X-Nonce', 'X-Signature'] as const;
const withOne =
  (name: string, of: (value: string, dice: Dice) => string): Flaw =>
  (headers, dice) => ({ ...headers, [name]: of(headers[name] ?? '', dice) });

/** Refused before any signature is looked at. */
const cheap: readonly Flaw[] = [
  (headers, dice) => {
    const { [dice.pick(names)]: _, ...rest } = headers;
    return rest;
  },
  (headers, dice) => ({ ...headers, [dice.pick(names)]: '' }),
  (headers, dice) => {
    const name = dice.pick(names);
    return { ...headers, [name.toLowerCase()]: `${headers[name]}`, [name]: 'twice' };
  },
  withOne('X-Timestamp', (at, dice) => {
    const now = Number(at);
    const skewed = [now - 120, now + 120, now * 1000, now / 2, -now, 0].map(String);
    const spelt = [
      `0${at}`,
      `+${at}`,
      `${at}.0`,
      `${at}e0`,
      `0x${now.toString(16)}`,
      `${at}n`,
      'now',
    ];
    return dice.pick([...skewed, ...spelt, `${at}, ${at}`, '9'.repeat(30), `${at}\t1`]) ?? '';
  }),
  withOne('X-Nonce', (nonce, dice) => {
    const spelt = [nonce.replaceAll('-', ''), `{${nonce}}`, `urn:uuid:${nonce}`, `${nonce}0`];
    const other = [
      nonce.replace('-4', '-1'),
      nonce.slice(1),
      '0'.repeat(36),
      'x',
      someHex(dice, 300),
    ];
    return dice.pick([...spelt, ...other, '00000000-0000-0000-0000-000000000000']) ?? '';
  }),
  withOne('X-Hotkey', (hotkey, dice) => {
    const spelt = [hotkey.toLowerCase(), hotkey.slice(1), `${hotkey}1`, `0x${someHex(dice, 64)}`];
    const other = [
      '5',
      `${hotkey}, ${hotkey}`,
      someHex(dice, 64),
      `1${hotkey.slice(1)}`,
      "' or 1=1 --",
    ];
    return (
      dice.pick([
        ...spelt,
        ...other,
        `${hotkey.slice(0, -1)}${hotkey.endsWith('1') ? '2' : '1'}`,
      ]) ?? ''
    );
  }),
  withOne('X-Signature', (signature, dice) => {
    const spelt = [
      signature.slice(2),
      signature.slice(0, -1),
      `${signature}0`,
      signature.replace('0x', '0X'),
    ];
    return (
      dice.pick([...spelt, `0x${'g'.repeat(128)}`, 'null', btoa(signature.slice(0, 60)), '0x']) ??
      ''
    );
  }),
];

/** Well-formed, so that the signature itself must be found wrong: half a millisecond each. */
const dear: readonly Flaw[] = [
  withOne('X-Signature', (_, dice) => `0x${someHex(dice, 128)}`),
  withOne('X-Signature', () => `0x${'0'.repeat(128)}`),
  withOne('X-Signature', () => `0x${'0'.repeat(126)}80`),
  withOne('X-Signature', (_, dice) => `0x${someHex(dice, 126)}8${dice.hex(1)}`),
  // The key of all zeros, for which libraries were seen to accept forgeries.
  (headers, dice) => ({
    ...headers,
    'X-Hotkey': encodeHotkey(new Uint8Array(32)),
    'X-Signature': dice.pick([`0x${'0'.repeat(126)}80`, `0x${someHex(dice, 126)}80`]),
  }),
];

/** In the form of signed headers; nothing is signed. */
function unproven(key: TestKey, dice: Dice): Headers {
  return {
    'X-Hotkey': key.hotkey,
    'X-Timestamp': String(Math.floor(Date.now() / 1000)),
    'X-Nonce': dice.uuid(),
    'X-Signature': `0x${someHex(dice, 126)}8${dice.hex(1)}`,
  };
}

/** Forged and misspelt identities, on every route that asks for one. */
export function identity(material: Material, share: number): Category {
  const routes = soughtRoutes(material, 'miner', 'validator', 'hotkey');
  const keys = [...material.keys.miners, ...material.keys.validators];
  return { name: 'forged or misspelt identities', share, make };
  function make(dice: Dice): HostileRequest {
    const { method, target } = dice.pick(routes);
    const key = dice.pick(keys);
    if (key === undefined) throw new Error('there are no keys');
    const flaw = dice.pick(dice.chance(0.1) ? dear : cheap);
    const headers = unproven(key, dice);
    return kept(dice, { method, target, headers: flaw?.(headers, dice) ?? headers }, [401]);
  }
}

/** What was accepted once, again: as it was, elsewhere, in another case, under another nonce. */
export function replays(material: Material, share: number): Category {
  const routes = soughtRoutes(material, 'miner', 'validator', 'hotkey');
  const [some] = material.keys.miners;
  return { name: 'replayed identities', share, make };
  function make(dice: Dice): HostileRequest {
    const { method, target } = dice.pick(routes);
    const used = dice.pick(material.replays.used);
    if (used === undefined && some !== undefined) {
      return kept(dice, { method, target, headers: unproven(some, dice) }, [401]);
    }
    const changed: Headers = { ...used };
    if (dice.chance(0.2)) changed['x-nonce'] = `${used?.['x-nonce']}`.toUpperCase();
    if (dice.chance(0.2)) changed['x-nonce'] = dice.uuid();
    if (dice.chance(0.1)) changed['x-timestamp'] = `${Number(used?.['x-timestamp']) + 1}`;
    return kept(dice, { method, target, headers: changed }, [401]);
  }
}
