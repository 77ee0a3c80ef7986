import { gzipSync } from 'node:zlib';
import { badValues } from '../../fuzz/bad-spellings.ts';
import { DescribedApi, type JsonSchema } from '../../fuzz/described-api.ts';
import type { Dice } from '../../fuzz/dice.ts';
import { bearer, type Category, type HostileRequest, jsonType, kept } from '../hostile-request.ts';
import type { Material } from '../material.ts';

interface Taker {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema: JsonSchema;
  /** Values that the whole body, or one of its fields, must not be taken for. */
  readonly wrong: readonly string[];
}

const refused = [400, 413, 415, 422] as const;

/** No JSON at all, or none that may be read; whatever route it is. */
const unreadable: readonly (string | Buffer)[] = [
  ...['{', '{"a":', '[', '"', 'nul', "{'a':1}", '{"a":1,}', '{a:1}', 'NaN', '01', '\u0000', '{}{}'],
  ...[
    '['.repeat(70) + ']'.repeat(70),
    `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
    '['.repeat(30_000),
  ],
  ...['{"a":"\\ud800"}', '{"\\u0000":1}', '{"a":"\\u0000"}', '"\t"', '{"a":1}\u2028x', '\ufeff'],
  ...[
    Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
    Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d]),
  ],
  ...[Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), Buffer.alloc(1000)],
];

const otherTypes = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json'],
  ...['application/json; charset=utf-16', 'application/jsonx', '', 'application/xml', 'text/json'],
];

/** Bodies of the wrong type, depth, size, encoding and shape, by whoever may use the route. */
export function bodies(material: Material, share: number): Category {
  const takers = takersOf(material);
  return { name: 'bodies', share, make };
  function make(dice: Dice): HostileRequest {
    const taker = dice.pick(takers);
    if (taker === undefined) throw new Error('no route takes a body');
    const { method, path, headers } = taker;
    const target = path
      .replaceAll(/\{\w+\}/g, () => dice.uuid())
      .replace(/providers?$/, 'providera');
    const send = (body: string | Buffer, more: Readonly<Record<string, string>> = jsonType) =>
      // An id that is nobody's may be looked at first.
      kept(dice, { method, target, headers: { ...headers, ...more }, body }, [...refused, 404]);
    const kind = dice.fraction();
    if (kind < 0.25) return send(dice.pick(unreadable) ?? '{');
    if (kind < 0.35) return send('{}', { 'Content-Type': dice.pick(otherTypes) ?? '' });
    if (kind < 0.4) {
      const encoding = dice.pick(['gzip', 'deflate', 'br', 'gzip, identity', 'x']);
      return send(gzipSync('{}'), { ...jsonType, 'Content-Encoding': encoding });
    }
    if (kind < 0.403)
      return { ...send('', jsonType), ...tooLong(dice, { method, target, headers }) };
    return send(dice.pick(taker.wrong) ?? '{');
  }
}

/** Announces more than any route takes and sends none of it; refused before a byte is read. */
function tooLong(
  dice: Dice,
  said: { readonly method: string; readonly target: string; readonly headers: object },
): Pick<HostileRequest, 'bytes' | 'lane' | 'expected'> {
  const length = dice.pick([20_000_000, 2 ** 40, 17_000_000]);
  const lines = Object.entries(said.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${said.method} ${said.target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  const text = `${head}${lines.join('')}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  return { bytes: Buffer.from(text, 'latin1'), lane: 'alone', expected: [404, 413, 422, 429] };
}

function takersOf({ document, sessions }: Material): readonly Taker[] {
  const api = new DescribedApi(document);
  const [miner = ''] = sessions.miners;
  const [validator = ''] = sessions.validators;
  return api.operations.flatMap(({ method, path, body, security }) => {
    if (body?.mediaType !== 'application/json' || body.isRequired === false) return [];
    if (security.includes('operator') || security.includes('run')) return [];
    const token = path.startsWith('/v1/miner/') ? miner : validator;
    const headers = security.length === 0 ? {} : bearer(token);
    const wrong = wrongBodies(api, body.schema);
    return [{ method: method.toUpperCase(), path, headers, schema: body.schema, wrong }];
  });
}

/** The whole body wrong, or a required field of it missing or wrong, beside others that are not. */
function wrongBodies(api: DescribedApi, schema: JsonSchema): readonly string[] {
  const { properties = {}, required = [] } = api.resolved(schema);
  const wholes = badValues(api, schema).map((value) => JSON.stringify(value));
  const fields = required.flatMap((name) =>
    badValues(api, properties[name] ?? {}).map((value) => JSON.stringify({ [name]: value })),
  );
  const missing = required.length === 0 ? [] : ['{}', '{"__proto__":{"a":1}}', '{"x":1}'];
  return [...wholes, ...fields, ...missing].filter((text) => text.length < 20_000);
}
