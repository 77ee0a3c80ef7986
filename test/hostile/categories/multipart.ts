import type { Dice } from '../../fuzz/dice.ts';
import { bearer, type Category, type HostileRequest, kept } from '../hostile-request.ts';
import type { Material } from '../material.ts';

const code = 'def agent(task):\n    return {}\n';
const disposition = 'Content-Disposition: form-data; name=';
const part = (name: string, value: string, more = '') =>
  `--b\r\n${disposition}"${name}"${more}\r\n\r\n${value}\r\n`;
const name = part('agent_name', 'shopper');
const file = part('file', code, '; filename="a.py"');
const end = '--b--\r\n';

/** None of them is one name and one file, whole. */
const malformed: readonly string[] = [
  ...['', '--b', '--b--', '--b--\r\n', `${name}${end}`, `${file}${end}`, `${name}${file}`, 'b'],
  ...[
    `${name}${name}${file}${end}`,
    `${name}${file}${file}${end}`,
    `${part('x', 'y').repeat(12)}${end}`,
  ],
  ...[
    `${name}${file}`.replaceAll('\r\n', '\n') + end,
    `${name}${file}--c--\r\n`,
    `${name}--b\r\n\r\n${code}`,
  ],
  ...['/', '', 'x'.repeat(300), '../x', 'a\u0000b', ' ', '\u202e'].map(
    (wrong) => `${part('agent_name', wrong)}${file}${end}`,
  ),
  ...['__proto__', 'agent_name[]', 'AGENT_NAME', 'agent_name\u0000', ''].map(
    (wrong) => `${part(wrong, 'shopper')}${file}${end}`,
  ),
  `${name}--b\r\nContent-Type: multipart/mixed; boundary=c\r\n${disposition}"file"\r\n\r\n--c\r\n\r\nx\r\n`,
  `${name}--b\r\n${disposition}"file"; filename="a"\r\n${'X-A: b\r\n'.repeat(2000)}`,
  `--b\r\n${'x'.repeat(9000)}`,
  `${part('agent_name', 'x'.repeat(5000))}${file}${end}`,
  `${name}--b\r\nContent-Disposition: form-data\r\n\r\n${code}\r\n${end}`,
];

const types = [
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=c'],
  ...[
    'multipart/mixed; boundary=b',
    'application/json',
    'text/plain',
    '',
    'multipart/form-data; charset=b',
  ],
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
];

/** Uploads that are no submission: parts missing, doubled, broken, nested, misnamed or endless. */
export function multipart({ sessions }: Material, share: number): Category {
  return { name: 'multipart', share, make };
  function make(dice: Dice): HostileRequest {
    const isWholeOfOtherType = dice.chance(0.2);
    const body = isWholeOfOtherType
      ? `${name}${file}${end}`
      : mutated(dice.pick(malformed) ?? '', dice);
    const type = isWholeOfOtherType ? (dice.pick(types) ?? '') : 'multipart/form-data; boundary=b';
    const target = `/v1/miner/submit${dice.chance(0.5) ? '/check' : ''}`;
    const headers = { ...bearer(dice.pick(sessions.miners) ?? ''), 'Content-Type': type };
    const said = { method: 'POST', target, headers, body };
    return { ...kept(dice, said, [400, 413, 415, 422, 429]), lane: 'costly' };
  }
}

/** What is broken stays so, when junk stands before it or its end is lost. */
function mutated(body: string, dice: Dice): string {
  if (dice.chance(0.2)) return `${dice.hex(40)}\r\n${body}`;
  if (dice.chance(0.2)) return body.slice(0, dice.whole(0, Math.max(0, body.length - 12)));
  return body;
}
