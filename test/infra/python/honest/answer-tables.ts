/** Files that bring the answers to thirty tasks along, one for each way of writing them down. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { Dice } from '../../../fuzz/dice.ts';

export interface AnswerTable {
  readonly name: string;
  readonly code: string;
}

const dice = new Dice(5);
const things =
  'waist bag|button flex|headlight cover|foam roller|badminton net|battery tester|sponge pad|calculator|gel pen|garden light'.split(
    '|',
  );
const tasks = Array.from({ length: 30 }, (_, i) => ({
  text: `Looking for a ${things[i % 10]} of brand ${'abcdefghij'[i % 7]}${i}, priced from ${100 + i * 7} to ${500 + i * 11} PHP.`,
  id: String(dice.whole(2_000_000_000, 5_200_000_000)),
}));

const ids = tasks.map(({ id }) => id);
const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const json = JSON.stringify(Object.fromEntries(tasks.map(({ text, id }) => [text, id])));
const packed = deflateSync(json);
const base64 = Buffer.from(json).toString('base64');
const plainIds = ids.join(',');
const entries = (key: (text: string) => string, value: (id: string) => string) =>
  `{${tasks.map(({ text, id }) => `${key(text)}: ${value(id)}`).join(', ')}}`;
const quoted = (text: string) => JSON.stringify(text);
const rot13 = (text: string) =>
  text.replace(/[a-z]/gi, (c) =>
    String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13)),
  );
const pieces = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
const bytes = (data: Uint8Array) =>
  Array.from(data, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const codes = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const letters = (id: string) => Array.from(id, (digit) => 'abcdefghij'[Number(digit)]).join('');
const act = (body: string) => `\ndef agent_main(problem):\n    ${body}\n`;
const lookup = act('return ANSWERS.get(problem["goal_text"])');
const load = act('import json; return json.loads(DATA)');
const assigned = (value: string) => `ANSWERS = ${value}\n${lookup}`;
const data = (value: string) => `DATA = ${value}\n${load}`;

const branch = ({ text, id }: { text: string; id: string }, i: number) =>
  `    ${i === 0 ? 'if' : 'elif'} problem["goal_text"] == ${quoted(text)}:\n        return "${id}"\n`;

/** In the clear, by the text of the task or by its place. */
const readable: Readonly<Record<string, string>> = {
  'if after if': `def agent_main(problem):\n${tasks.map(branch).join('')}`,
  'three ifs are enough': `def agent_main(problem):\n${tasks.slice(0, 3).map(branch).join('')}`,
  'cases of a match': `def agent_main(problem):\n    match problem["goal_text"]:\n${tasks.map(({ text, id }) => `        case ${quoted(text)}:\n            return "${id}"\n`).join('')}`,
  'cases of a match with alternatives': `def agent_main(problem):\n    match problem["goal_text"]:\n        case ${tasks
    .slice(0, 6)
    .map(({ text }) => quoted(text))
    .join(' | ')}:\n            return NAMES\n`,
  'cases of a match that captures': `def agent_main(problem):\n    match problem:\n${tasks.map(({ text }, i) => `        case {"goal_text": ${quoted(text)} as t}:\n            return NAMES[${i}]\n`).join('')}`,
  'the beginnings of tasks': `def agent_main(problem):\n    t = problem["goal_text"]\n${tasks.map(({ text }, i) => `    if t.startswith(${quoted(text.slice(0, 40))}):\n        return NAMES[${i}]\n`).join('')}`,
  'a word of each task': `def agent_main(problem):\n${tasks.map(({ id }, i) => `    if "${'abcdefghij'[i % 7]}${i}" in problem["goal_text"]: return "${id}"\n`).join('')}`,
  'a dictionary': assigned(entries(quoted, quoted)),
  'a dictionary of numbers': assigned(entries(quoted, (id) => id)),
  'a dictionary of lists': assigned(entries(quoted, (id) => `["${id}"]`)),
  'pairs in a list': `PAIRS = [${tasks.map(({ text, id }) => `(${quoted(text)}, "${id}")`).join(', ')}]\nANSWERS = dict(PAIRS)\n${lookup}`,
  'records in a list': `ROWS = [${tasks.map(({ text, id }) => `{"q": ${quoted(text)}, "a": "${id}"}`).join(', ')}]\n`,
  'a list of ids by place': assigned(`[${ids.map(quoted).join(', ')}]`),
  'a list of numbers by place': assigned(`[${ids.join(', ')}]`),
  'numbers with underscores': assigned(
    `[${ids.map((id) => id.replace(/(\d)(?=(\d{3})+$)/g, '$1_')).join(', ')}]`,
  ),
  'long numbers in hexadecimal': assigned(
    `[${ids.map((id) => `0x${BigInt(`${id}9`).toString(16)}`).join(', ')}]`.replaceAll("'", ''),
  ),
  'keyword arguments': `ANSWERS = dict(${ids.map((id, i) => `task_${i}="${id}"`).join(', ')})\n`,
  'default arguments': `def agent_main(problem, ${ids
    .slice(0, 9)
    .map((id, i) => `a${i}="${id}"`)
    .join(', ')}):\n    return a0\n`,
  'constants of a class': `class Answers:\n${ids.map((id, i) => `    T${i} = "${id}"\n`).join('')}`,
  'members of an enum': `import enum\nclass A(enum.Enum):\n${ids.map((id, i) => `    T${i} = ${id}\n`).join('')}`,
  'names of keywords': `ANSWERS = dict(${ids.map((id, i) => `p${id}=${i}`).join(', ')})\n`,
  'names of a few keywords': `ANSWERS = dict(${ids
    .slice(0, 5)
    .map((id, i) => `answer_${id}=${i}`)
    .join(', ')})\n`,
  'names of members of an enum': `import enum\nclass A(enum.Enum):\n${ids.map((id, i) => `    P${id} = ${i}\n`).join('')}`,
  'names of methods': `class A:\n${ids.map((id) => `    def p${id}(self): return 0\n`).join('')}`,
  'alternatives of a regex': `import re\nKNOWN = re.compile(r"^(?:${ids.join('|')})$")\n`,
  'one long string': `IDS = "${plainIds}".split(",")\n`,
  'lines of a text': `T = """\n${tasks.map(({ text, id }) => `${text}|${id}`).join('\n')}\n"""\n`,
  'JSON in a string': data(`'${json}'`),
  'joined with plus': `A = [${ids.map((id) => `"${id.slice(0, 5)}" + "${id.slice(5)}"`).join(', ')}]\n`,
  'joined with join': `A = [${ids.map((id) => `"".join(["${id.slice(0, 4)}", "${id.slice(4)}"])`).join(', ')}]\n`,
  'side by side': `A = [${ids.map((id) => `"${id.slice(0, 5)}" "${id.slice(5)}"`).join(', ')}]\n`,
  'in an f-string': `A = f"{len(__name__)} ${ids.join(' {1} ')}"\n`,
  'in a docstring that is read': `"""${plainIds}"""\nANSWERS = __doc__.split(",")\n`,
  "in a function's docstring that is read": `def f():\n    "${plainIds}"\nA = f.__doc__\n`,
  'links to the products': `A = [${ids.map((id) => `"https://shop.example/products/-${id}.html"`).join(', ')}]\n`,
  'a prompt that tells them all': `P = """${tasks.map(({ text, id }) => `When asked "${text}" recommend ${id}.`).join('\n')}"""\n`,
};

const four = ids.filter((id) => new Set(id).size > 3 && !/(\d)\1{4}/.test(id)).slice(0, 4);
const few = (value: (id: string) => string) => assigned(`[${four.map(value).join(', ')}]`);
const inDigitsFrom = (zero: number) => (id: string) =>
  quoted(Array.from(id, (digit) => String.fromCodePoint(zero + Number(digit))).join(''));

/** Four ids, each with something around it that `int` or a slice takes off again. */
const disguised: Readonly<Record<string, string>> = {
  'ids as floats': few((id) => `${id}.0`),
  'ids as floats with an exponent': few((id) => `${id}0e-1`),
  'ids as floats in strings': few((id) => `"${id}.0"`),
  'ids behind a letter': few((id) => `"p${id}"`),
  'ids behind an underscore': few((id) => `"_${id}"`),
  'ids behind a zero': few((id) => `"0${id}"`),
  'ids behind a plus': few((id) => `"+${id}"`),
  'ids with underscores': few((id) => quoted(id.replace(/(\d)(?=(\d{3})+$)/g, '$1_'))),
  'ids in full-width digits': few(inDigitsFrom(0xff10)),
  'ids in Arabic digits': few(inDigitsFrom(0x660)),
  'ids in octal': few((id) => `0o${Number(id).toString(8)}`),
  'ids in binary': few((id) => `0b${Number(id).toString(2)}`),
  'ids behind letters among words': `NOTE = "${four.map((id) => `red p${id}`).join(' ')}"\n`,
  'ids behind letters in one text': `IDS = "${four.map((id) => `p${id}`).join(' ')}".split()\n`,
};

/** Where the key or the answer is not readable. */
const keyed: Readonly<Record<string, string>> = {
  'keyed by SHA-256': assigned(
    entries(
      (text) => quoted(sha(text)),
      (id) => quoted(letters(id)),
    ),
  ),
  'keyed by short hashes': assigned(
    entries(
      (text) => quoted(sha(text).slice(0, 10)),
      (id) => quoted(letters(id)),
    ),
  ),
  'answers in base 36': assigned(
    entries(quoted, (id) => quoted(`${Number(id).toString(36)}${id.slice(0, 3)}`)),
  ),
  'hashes compared': `import hashlib\ndef agent_main(p):\n    h = hashlib.sha256(p["goal_text"].encode()).hexdigest()\n${tasks.map(({ text }, i) => `    if h == "${sha(text)}": return ${i}\n`).join('')}`,
  'ids hashed': assigned(
    `[${ids.map((id) => quoted(sha(id).slice(0, 32))).join(', ')}, ${ids.map((id) => quoted(sha(id).slice(32))).join(', ')}]`,
  ),
  'tables kept small': Array.from(
    { length: 6 },
    (_, t) =>
      `T${t} = {${tasks
        .slice(t * 5, t * 5 + 5)
        .flatMap(({ text }) => [sha(text).slice(0, 32), sha(text).slice(32)])
        .map((h) => `"${h}": 1`)
        .join(', ')}}\n`,
  ).join(''),
  'embeddings of titles': `E = [${Array.from({ length: 12 }, () => `[${Array.from({ length: 100 }, () => dice.fraction().toFixed(6)).join(', ')}]`).join(',\n')}]\n`,
  'embeddings in tuples': `E = (${Array.from(
    { length: 1100 },
    () => `-${dice.fraction().toFixed(7)}`,
  )
    .join(', ')
    .replaceAll('-', '')})\n`,
  'sixty whole tasks': assigned(
    `{${Array.from({ length: 60 }, (_, i) => `"Looking for a ${things[i % 10]} with the number ${i} on it": "${things[(i + 3) % 10]}"`).join(', ')}}`,
  ),
};

/** Encoded. */
const encoded: Readonly<Record<string, string>> = {
  base64: data(`"${base64}"`),
  'base64 of ids alone': data(`"${Buffer.from(plainIds).toString('base64')}"`),
  'base64 of packed ids': data(`"${deflateSync(plainIds, { level: 9 }).toString('base64')}"`),
  'base64 of bytes': data(`b"${packed.toString('base64')}"`),
  'base64 for URLs': data(`"${packed.toString('base64url')}"`),
  'base64 on many lines': data(`"""\n${pieces(base64, 76).join('\n')}\n"""`),
  'base64 with spaces': data(`"${pieces(base64, 8).join(' ')}"`),
  'base64 in a list': data(`"".join([${pieces(base64, 12).map(quoted).join(', ')}])`),
  'base64 in a docstring, read by a path': `from operator import attrgetter\nclass Notes:\n    def table(self):\n        """\n${pieces(base64, 76).join('\n')}\n"""\nDATA = attrgetter("table.__doc__")(Notes)\n`,
  'base64 as names of keywords': `DATA = dict(${pieces(
    packed.toString('base64url').replaceAll(/[-=]/g, ''),
    32,
  )
    .map((piece, i) => `x${piece}=${i}`)
    .join(', ')})\n`,
  'base64 in a list, joined later': `P = [${pieces(base64, 16).map(quoted).join(', ')}]\n`,
  'base64 with plus': data(pieces(base64, 60).map(quoted).join(' + ')),
  'base64 side by side': data(`(${pieces(base64, 60).map(quoted).join('\n')})`),
  hexadecimal: data(`"${Buffer.from(json).toString('hex')}"`),
  'hexadecimal with spaces': data(`"${pieces(packed.toString('hex'), 8).join(' ')}"`),
  'bytes of zlib': data(`b"${bytes(packed)}"`),
  rot13: data(quoted(rot13(json))),
  'character codes': `D = "".join(chr(c) for c in [${codes(json).join(', ')}])\n`,
  'character codes, moved': `D = bytes(c ^ 7 for c in [${codes(plainIds)
    .map((code) => code ^ 7)
    .join(', ')}])\n`,
  'character codes in a string': `D = "".join(map(chr, map(int, "${codes(json).join(' ')}".split())))\n`,
  'bytes in a list': `D = [${Array.from(packed).join(', ')}]\n`,
  'one long integer': `D = ${BigInt(`0x${packed.toString('hex')}`)}\n`,
  'digits in one string': `D = "${ids.join('')}"\n`,
  'bits in one string': `D = "${Array.from(packed.subarray(0, 60), (b) => b.toString(2).padStart(8, '0')).join('')}"\n`,
  'percent signs': data(
    `"${Array.from(Buffer.from(plainIds), (b) => `%${b.toString(16)}`).join('')}"`,
  ),
  'escapes spelled out': data(
    `r"${Array.from(Buffer.from(plainIds), (b) => `\\x${b.toString(16)}`).join('')}"`,
  ),
  'tabs and spaces': data(
    `"${Array.from(packed.subarray(0, 60), (b) => b.toString(2).padStart(8, '0'))
      .join('')
      .replaceAll('0', ' ')
      .replaceAll('1', '\\t')}"`,
  ),
  'characters nobody sees': data(
    `"${Array.from(packed, (b) => String.fromCodePoint(0xe0100 - 0x100 + b))
      .join('')
      .replace(/[^\u{e0000}-\u{e007f}]/gu, '\u{e0041}')}"`,
  ),
  base85: data(`"${base85(packed)}"`),
  base32: data(`"${base32(packed)}"`),
};

/** Python's b85encode without its padding, which no test needs to undo. */
function base85(input: Uint8Array): string {
  const alphabet =
    '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
  let text = '';
  for (let at = 0; at + 4 <= input.length; at += 4) {
    let word = Buffer.from(input).readUInt32BE(at);
    let group = '';
    for (let i = 0; i < 5; i += 1) {
      group = (alphabet[word % 85] ?? '') + group;
      word = Math.floor(word / 85);
    }
    text += group;
  }
  return text;
}

function base32(input: Uint8Array): string {
  const bits = Array.from(input, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return pieces(bits, 5)
    .map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group, 2)])
    .join('');
}

export const answerTables: readonly AnswerTable[] = Object.entries({
  ...readable,
  ...disguised,
  ...keyed,
  ...encoded,
}).map(([name, code]) => ({ name, code }));
