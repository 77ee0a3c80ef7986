import { createRequire } from 'node:module';
import test from 'ava';
import './failures-without-stack.ts';

interface Tap {
  test(title: string, of: { readonly error: Error; readonly index: number }): string;
}

test('a failure of which no line of stack is left is told like any other', async (t) => {
  const tap = (await import(
    createRequire(import.meta.resolve('ava')).resolve('supertap')
  )) as unknown as Tap;
  const error = Object.assign(new Error('the connection was lost'), {
    stack: 'Error: the connection was lost',
  });
  t.regex(tap.test('a title', { error, index: 1 }), /message: the connection was lost/);
});
