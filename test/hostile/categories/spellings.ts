import { badTexts } from '../../fuzz/bad-spellings.ts';
import { DescribedApi, type Operation } from '../../fuzz/described-api.ts';
import type { Dice } from '../../fuzz/dice.ts';
import { bearer, type Category, type HostileRequest, kept } from '../hostile-request.ts';
import type { Material } from '../material.ts';

/** One parameter of a request, in a spelling that must not be taken. */
interface Spot {
  readonly operation: Operation;
  readonly name: string;
  readonly part: 'path' | 'query';
  readonly texts: readonly string[];
}

/** Ids, numbers and words in spellings that other services take for the same. */
export function spellings(material: Material, share: number): Category {
  const spots = spotsOf(new DescribedApi(material.document));
  const [miner = ''] = material.sessions.miners;
  const [validator = ''] = material.sessions.validators;
  return { name: 'spellings of ids, numbers and words', share, make };
  function make(dice: Dice): HostileRequest {
    const { operation, name, part, texts } = dice.pick(spots);
    const text = encodeURIComponent((dice.pick(texts) ?? '').toWellFormed()).replaceAll('.', '%2E');
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, step: string) =>
      part === 'path' && step === name ? text || '%20' : dice.uuid(),
    );
    const target = part === 'path' ? path : `${path}?${queryOf(name, text, dice)}`;
    const token = operation.path.startsWith('/v1/miner/') ? miner : validator;
    const headers = operation.security.length === 0 ? {} : bearer(token);
    return kept(dice, { method: operation.method.toUpperCase(), target, headers }, [404, 422]);
  }
}

/** Alone, among what nobody asked for, or twice: none of which may make it right. */
function queryOf(name: string, text: string, dice: Dice): string {
  const wrong = `${name}=${text}`;
  return dice.pick([
    wrong,
    wrong,
    `x=1&${wrong}`,
    `${wrong}&${wrong}`,
    `${wrong}&a[b]=1&__proto__=2`,
  ]);
}

function spotsOf(api: DescribedApi): readonly [Spot, ...Spot[]] {
  // Operators are believed to mean well, and streams do not end.
  const asked = api.operations.filter(
    ({ path, security, body }) =>
      !security.includes('operator') && body === undefined && path !== '/v1/public/events',
  );
  const [first, ...rest] = asked.flatMap((operation) =>
    operation.parameters.flatMap(({ name, in: part, schema }): Spot[] => {
      if (part === 'header') return [];
      const texts = badTexts(api.resolved(schema));
      return texts.length === 0 ? [] : [{ operation, name, part, texts }];
    }),
  );
  if (first === undefined) throw new Error('no parameter is described');
  return [first, ...rest];
}
