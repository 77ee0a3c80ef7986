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

const question = { messages: [{ role: 'user', content: 'hello' }] };
const models = [
  'gpt-4',
  '',
  '../x',
  'maple/maple-8b-instruct ',
  'MAPLE/MAPLE-8B-INSTRUCT',
  'x'.repeat(90),
];
const paths = [
  'openai',
  'PROVIDERA',
  'providera%20',
  '..',
  '%2e%2e',
  '127.0.0.1:5432',
  'providera%00',
  '%0d%0aHost:x',
];
const badBodies = [
  ...[
    '',
    '{}',
    '[]',
    'null',
    '{"model":1,"messages":[]}',
    '{"messages":"x"}',
    '{"model":"x"}',
    '"x"',
  ],
  ...['{'.repeat(80)],
];

/** The inference proxy without a token, with one that is not of a live run, or for what is not allowed. */
export function inference(material: Material, share: number): Category {
  const { runToken, endedRunToken, operatorToken, sessions } = material;
  const [validator = ''] = sessions.validators;
  const target = (provider: string) => `/v1/inference/${provider}/chat/completions`;
  return { name: 'abuse of the inference proxy', share, make };
  function make(dice: Dice): HostileRequest {
    const ask = (token: string, path: string, body: string, expected: readonly number[]) =>
      kept(
        dice,
        { method: 'POST', target: path, headers: { ...bearer(token), ...jsonType }, body },
        expected,
      );
    const allowed = JSON.stringify({ ...question, model: 'maple/maple-8b-instruct' });
    const kind = dice.fraction();
    if (kind < 0.5) {
      const spelt = [runToken.toUpperCase(), runToken.slice(0, -1), `${runToken}0`];
      const others = [
        endedRunToken,
        operatorToken,
        validator,
        ...spelt,
        `inf_${someHex(dice, 64)}`,
      ];
      return ask(dice.pick(others) ?? '', target('providera'), allowed, [401]);
    }
    if (kind < 0.7) {
      const model = dice.pick(models);
      return ask(runToken, target('providera'), JSON.stringify({ ...question, model }), [403, 422]);
    }
    if (kind < 0.85) return ask(runToken, target(dice.pick(paths) ?? ''), allowed, [404, 422]);
    return ask(runToken, target('providera'), dice.pick(badBodies) ?? '', [403, 422]);
  }
}
