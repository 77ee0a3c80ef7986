import test from 'ava';
import { checkLinearizable, type ObjectModel, type Operation } from './linearizable.ts';

interface RegisterOperation extends Operation {
  readonly write?: number;
  readonly read?: number;
}

/** A register that holds 0 at first. */
const register: ObjectModel<RegisterOperation> = {
  initial: '0',
  step(state, { write, read }) {
    if (write !== undefined) return String(write);
    return state === String(read) ? state : undefined;
  },
};

const known = { isOptional: false };
const write = (value: number, callMs: number, returnMs: number) =>
  ({ ...known, write: value, callMs, returnMs }) as const;
const read = (value: number, callMs: number, returnMs: number) =>
  ({ ...known, read: value, callMs, returnMs }) as const;
const unknownWrite = (value: number, callMs: number) =>
  ({ write: value, callMs, returnMs: Number.POSITIVE_INFINITY, isOptional: true }) as const;

const verdict = (...operations: readonly RegisterOperation[]) =>
  checkLinearizable(register, operations).kind;

test('what is read while it is written may be either value', (t) => {
  t.is(verdict(write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)), 'linearizable');
  t.is(verdict(write(1, 0, 10), read(1, 1, 2)), 'linearizable');
});

test('a value that was read does not go away again by itself', (t) => {
  t.is(verdict(write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)), 'impossible');
});

test('what was acknowledged is there for all who ask afterwards', (t) => {
  t.is(verdict(write(1, 0, 1), read(0, 2, 3)), 'impossible');
  t.is(verdict(write(1, 0, 3), read(0, 2, 3)), 'linearizable');
});

test('a write without an answer may have happened late, or never, but once', (t) => {
  t.is(verdict(unknownWrite(1, 0), read(0, 1, 2), read(1, 3, 4)), 'linearizable');
  t.is(verdict(unknownWrite(1, 0), read(0, 1, 2)), 'linearizable');
  t.is(
    verdict(unknownWrite(1, 0), write(2, 1, 2), read(1, 3, 4), read(2, 5, 6), read(1, 7, 8)),
    'impossible',
  );
  t.is(verdict(unknownWrite(1, 5), read(1, 1, 2)), 'impossible');
});

test('the verdict names what fits nowhere', (t) => {
  const stale = read(0, 2, 3);
  const found = checkLinearizable(register, [write(1, 0, 1), stale]);
  t.deepEqual(found.kind === 'impossible' && found.left, [stale]);
});
