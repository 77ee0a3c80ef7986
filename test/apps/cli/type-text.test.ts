import test from 'ava';
import { typeText } from '../../../apps/cli/generate/type-text.ts';
import type { Schema } from '../../../apps/edge/openapi/api-document.ts';

const rows: readonly [title: string, schema: Schema, type: string][] = [
  ['a component', { $ref: '#/components/schemas/Suite' }, 'Suite'],
  ['a text or nothing', { type: ['string', 'null'] }, 'string | null'],
  ['one of some words', { type: 'string', enum: ['a', "it's"] }, "'a' | 'it\\'s'"],
  ['a constant', { const: 201 }, '201'],
  ['equal variants', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
  ['a file', { type: 'string', format: 'binary' }, 'Blob'],
  ['a list of words', { type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
  [
    'a list of lists',
    { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    'readonly (readonly number[])[]',
  ],
  [
    'a map',
    { type: 'object', additionalProperties: { type: 'integer' } },
    'Readonly<Record<string, number>>',
  ],
  ['anything', {}, 'unknown'],
  [
    'an object',
    {
      type: 'object',
      properties: { id: { type: 'string', description: 'Which' }, 'a-b': { type: 'boolean' } },
      required: ['id'],
    },
    "{\n  /** Which */\n  readonly id: string;\n  readonly 'a-b'?: boolean | undefined;\n}",
  ],
  [
    'an object with more than it names',
    { type: 'object', properties: { model: { type: 'string' } }, additionalProperties: {} },
    '{\n  readonly model?: string | undefined;\n} & Readonly<Record<string, unknown>>',
  ],
];
for (const [title, schema, type] of rows) {
  test(`${title} becomes a type`, (t) => t.is(typeText(schema), type));
}

test('a type that JSON does not have is an error', (t) => {
  t.throws(() => typeText({ type: 'date' }), { message: /date/ });
});
