import type { Dice } from '../../fuzz/dice.ts';
import { bytesOf, type Category, type HostileRequest } from '../hostile-request.ts';
import type { Material } from '../material.ts';
import { routesOf } from './routes.ts';

/** These few ask for more than their share. */
export const floodingAddresses = ['192.0.2.1', '198.51.100.7', '2001:db8:0:1::5'] as const;

/**
 * A flood from three addresses that claim to be others: what stands to the left of the last entry is
 * the client's own word. Most must be 429; `floodsAccepted` counts the rest against the limit.
 */
export function limits(material: Material, share: number): Category {
  const routes = routesOf(material, 'public').filter(
    ({ method, target }) =>
      method === 'GET' && !target.startsWith('/health') && !/events|openapi|docs/.test(target),
  );
  return { name: 'floods and claimed addresses', share, make };
  function make(dice: Dice): HostileRequest {
    const { method = 'GET', target = '/' } = dice.pick(routes) ?? {};
    const claimed = dice.pick([
      ...[
        '',
        `10.${dice.whole(0, 255)}.0.1, `,
        'unknown, ',
        '127.0.0.1, ',
        '::1, ',
        ', , ',
        '"x", ',
      ],
      ...[`${'1.1.1.1, '.repeat(40)}`, '2001:db8:ffff::1, ', '[::ffff:127.0.0.1]:80, '],
    ]);
    const from = dice.pick(floodingAddresses);
    const forms = from.includes(':')
      ? [from, `[${from}]:4711`, `2001:DB8:0:1::${dice.hex(4)}`]
      : [from, `${from}:80`];
    const address = `${claimed}${dice.pick(forms)}`;
    const headers = dice.chance(0.3) ? { Forwarded: 'for=8.8.8.8', 'X-Real-IP': '8.8.8.8' } : {};
    const bytes = bytesOf({ method, target, headers }, address);
    return { bytes, lane: 'kept', expected: [200, 404, 403, 429], refuses: () => true };
  }
}
