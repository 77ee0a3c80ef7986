import test from 'ava';
import { readMessage } from '../../../apps/validator/sandbox/channel.ts';

/** A call whose arguments, and with them its line, have so many levels. */
function callOf(levels: number): Buffer {
  const inner = '['.repeat(levels - 2) + ']'.repeat(levels - 2);
  return Buffer.from(`{"call":"x","arguments":{"a":${inner}}}`);
}

test('a call is read with as many levels as a request may have, and one more is no call', (t) => {
  t.deepEqual(Object.keys(readMessage(callOf(64)) ?? {}), ['call', 'arguments']);
  t.is(readMessage(callOf(65)), undefined);
  t.is(readMessage(callOf(60_000)), undefined);
});

test('brackets within a text are no levels', (t) => {
  const line = JSON.stringify({ call: 'search', arguments: { query: '['.repeat(1_000) } });

  t.truthy(readMessage(Buffer.from(line)));
});
