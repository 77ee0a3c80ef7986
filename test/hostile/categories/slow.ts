import type { Dice } from '../../fuzz/dice.ts';
import { bearer, bytesOf, type Category, type HostileRequest } from '../hostile-request.ts';
import type { Material } from '../material.ts';

/** Requests that trickle and are dropped, in the headers or in the body; never whole. */
export function slow({ sessions, runToken }: Material, share: number): Category {
  const [miner = ''] = sessions.miners;
  const [validator = ''] = sessions.validators;
  const targets = [
    ['/v1/miner/submit', miner, 'multipart/form-data; boundary=b'],
    ['/v1/validator/episode-results', validator, 'application/json'],
    ['/v1/auth/challenge', '', 'application/json'],
    ['/v1/inference/providera/chat/completions', runToken, 'application/json'],
  ] as const;
  return { name: 'slow and dropped connections', share, make };
  function make(dice: Dice): HostileRequest {
    const [target, token, type] = dice.pick(targets) ?? targets[0];
    const headers = { ...(token !== '' && bearer(token)), 'Content-Type': type };
    const body = type === 'application/json' ? '{"hotkey":"' : '--b\r\nContent-Disposition: form-';
    const whole = bytesOf(
      { method: 'POST', target, headers, body: body.padEnd(4000, 'x') },
      '10.9.9.9',
    );
    const bytes = whole.subarray(0, dice.whole(20, whole.length - 1));
    return { bytes, lane: 'slow', expected: [0, 400, 401, 408, 413, 415, 422, 429] };
  }
}
