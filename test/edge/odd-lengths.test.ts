import test from 'ava';
import { z } from 'zod';
import { parsePart } from '../../apps/edge/validation.ts';
import { Fault } from '../../machines/fault.ts';

/** Compared with a number it throws, and zod compares whatever is called so, also of what is no text. */
const odd = { toString: 1, valueOf: 1 };

const fields = {
  name: z.string().max(5),
  items: z.array(z.number()).min(1),
  counts: z.record(z.string(), z.number()),
  either: z.union([z.string().max(5), z.number()]),
} as const;
const whole = { name: 'a', items: [1], counts: { length: 1, size: 2 }, either: 1 };
const schema = z.object(fields);

function placesOf(error: Fault | undefined): readonly unknown[] {
  const { errors = [] } = Object(error?.extras) as { errors?: readonly { loc: unknown }[] };
  return errors.map(({ loc }) => loc);
}

for (const field of ['name', 'items', 'either'] as const) {
  for (const key of ['length', 'size']) {
    test(`an object with an odd ${key} in the place of ${field} is refused as what it is`, (t) => {
      const body = { ...whole, [field]: { [key]: odd } };

      const error = t.throws(() => parsePart(schema, body, 'body'), { instanceOf: Fault });

      t.is(error?.code, 'VALIDATION_FAILED');
      t.deepEqual(placesOf(error), [['body', field]]);
    });
  }
}

test('one that is deep within is found, and others of its name stay', (t) => {
  const body = { list: [{ ...whole, name: { length: odd } }] };
  const lists = z.object({ list: z.array(schema) });

  const error = t.throws(() => parsePart(lists, body, 'body'), { instanceOf: Fault });

  t.deepEqual(placesOf(error), [['body', 'list', '0', 'name']]);
  t.deepEqual(parsePart(schema, whole, 'body'), whole);
});

test('a schema that breaks by a fault of its own is a defect', (t) => {
  const broken = z.string().refine(() => {
    throw new TypeError('ours');
  });

  t.throws(() => parsePart(broken, 'a', 'body'), { instanceOf: TypeError, message: 'ours' });
});
