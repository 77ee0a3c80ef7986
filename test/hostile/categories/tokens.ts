import type { Dice } from '../../fuzz/dice.ts';
import {
  bearer,
  type Category,
  type HostileRequest,
  jsonType,
  kept,
  someHex,
} from '../hostile-request.ts';
import type { Material } from '../material.ts';
import { routesOf, shut, soughtRoutes } from './routes.ts';

/** Tokens where they do not belong, or that are over, or in another spelling. */
export function sessions(material: Material, share: number): Category {
  const routes = soughtRoutes(material, 'miner', 'validator', 'hotkey');
  const { operatorToken, runToken, endedRunToken, deadSessions } = material;
  const [live = ''] = material.sessions.miners;
  const wrong = [operatorToken, runToken, endedRunToken, ...deadSessions, live.toUpperCase()];
  const spelt = [
    live.slice(0, -1),
    `${live}0`,
    live.replace('ses_', 'inf_'),
    live.slice(4),
    '',
    '*',
  ];
  const schemes = [
    `bearer  ${live}`,
    `Token ${live}`,
    live,
    `Bearer ${live} x`,
    `Bearer "${live}"`,
  ];
  return { name: 'tokens of another kind', share, make };
  function make(dice: Dice): HostileRequest {
    const { method, target } = dice.pick(routes);
    const kind = dice.fraction();
    // One that might be ours costs a look into the database.
    if (kind < 0.1) {
      return kept(dice, { method, target, headers: bearer(`ses_${someHex(dice, 64)}`) }, [401]);
    }
    if (kind < 0.2) {
      return kept(
        dice,
        { method, target, headers: { Authorization: dice.pick(schemes) ?? '' } },
        [401],
      );
    }
    return kept(
      dice,
      { method, target, headers: bearer(dice.pick([...wrong, ...spelt]) ?? '') },
      shut,
    );
  }
}

/** Guesses at operator tokens, and all other tokens in their place. */
export function operators(material: Material, share: number): Category {
  const routes = routesOf(material, 'operator');
  const { operatorToken: token, runToken, sessions: live } = material;
  const near = [
    `${token}x`,
    token.slice(1),
    token.toUpperCase(),
    `${token},${token}`,
    'world',
    'admin',
  ];
  const others = [runToken, ...live.miners, ...live.validators, 'null', 'undefined', '0', '""'];
  const schemes = [`bearer  ${token}`, `Token ${token}`, token, `Bearer world:${token}`, 'Bearer'];
  return { name: 'guesses at operators', share, make };
  function make(dice: Dice): HostileRequest {
    const { method, target } = dice.pick(routes);
    const guess = dice.pick([...near, ...others, someHex(dice, 48), someHex(dice, 64)]) ?? '';
    const isSpelt = dice.chance(0.2);
    const headers = isSpelt ? { Authorization: dice.pick(schemes) ?? '' } : bearer(guess);
    // A whole order, in case somebody reads it before asking who sends it.
    const body = method === 'GET' || dice.chance(0.5) ? undefined : '{"reason":"because"}';
    const said = { method, target, headers: { ...headers, ...(body && jsonType) } };
    return kept(dice, body === undefined ? said : { ...said, body }, [401]);
  }
}

/** Attempts to get a session without the key. */
export function challenges(material: Material, share: number): Category {
  const keys = [...material.keys.miners, ...material.keys.validators];
  return { name: 'abuse of challenges', share, make };
  function make(dice: Dice): HostileRequest {
    const hotkey = dice.pick(keys)?.hotkey ?? '';
    const now = Math.floor(Date.now() / 1000);
    const challenge = `paddock-auth:${now}:${someHex(dice, 64)}`;
    const signature = `0x${someHex(dice, 126)}8${dice.hex(1)}`;
    const post = (path: string, body: unknown, expected: readonly number[]) =>
      kept(
        dice,
        {
          method: 'POST',
          target: `/v1/auth/${path}`,
          headers: jsonType,
          body: JSON.stringify(body),
        },
        expected,
      );
    const whole = { hotkey, challenge, signature };
    if (dice.chance(0.1)) return post('session', whole, [401]);
    if (dice.chance(0.3)) {
      const other = dice.pick([
        hotkey.slice(1),
        hotkey.toLowerCase(),
        '',
        5,
        null,
        [hotkey],
        {},
        `${hotkey} `,
      ]);
      return post('challenge', { hotkey: other }, [422]);
    }
    const name = dice.pick(['hotkey', 'challenge', 'signature'] as const);
    const wrong = dice.pick([null, 1, [], {}, true, 'x'.repeat(2000)]);
    const short = JSON.stringify(signature.slice(0, -2));
    if (dice.chance(0.2))
      return post('session', { ...whole, signature: JSON.parse(short) }, [401, 422]);
    const { [name]: _, ...rest } = whole;
    return post('session', dice.chance(0.5) ? rest : { ...whole, [name]: wrong }, [401, 422]);
  }
}
