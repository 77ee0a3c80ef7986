import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import test from 'ava';
import { Callers } from '../../../apps/edge/auth/callers.ts';
import { familiarity } from '../../../apps/edge/auth/familiar.ts';
import { ProofTurns } from '../../../apps/edge/auth/proof-turns.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

const token = `ses_${'a'.repeat(64)}`;
const hotkey = '5Honest';
const address = '192.0.2.1';

function edge() {
  const now = { ms: 0 };
  const clock = { monotonicMs: () => now.ms, sleep: async () => undefined };
  // Nothing here asks the database.
  const callers = new Callers(undefined as unknown as Sql, clock);
  const turns = new ProofTurns(20, clock);
  const isFamiliar = familiarity({ callers, turns }, () => address);
  const known = (headers: IncomingHttpHeaders) => isFamiliar({ headers } as IncomingMessage);
  return { now, callers, turns, known };
}

test('a session is familiar for ten minutes after its holder was let in', (t) => {
  const { now, callers, known } = edge();
  const headers = { authorization: `Bearer ${token}` };
  t.false(known(headers));
  callers.noteProof(callers.hashOf(token), true);
  t.true(known(headers));
  t.false(known({ authorization: `Bearer ${token.replace('a', 'b')}` }));
  now.ms += 600_000;
  t.false(known(headers));
});

test('who was refused or went is a stranger', (t) => {
  const { callers, known } = edge();
  const headers = { authorization: `Bearer ${token}` };
  for (const end of [
    () => callers.noteProof(callers.hashOf(token), false),
    () => callers.forgetSession(token),
  ]) {
    callers.noteProof(callers.hashOf(token), true);
    t.true(known(headers));
    end();
    t.false(known(headers));
  }
});

test('a key is familiar where it was proved, and its name alone is nothing', async (t) => {
  const { turns, known } = edge();
  const headers = { 'x-hotkey': hotkey, 'x-signature': '0x' };
  t.false(known(headers));
  await turns.during({ address, hotkey }, async () => true);
  t.true(known(headers));
  t.false(known({ 'x-hotkey': hotkey }));
  t.false(known({ ...headers, 'x-hotkey': '5Other' }));
  t.false(
    known({ ...headers, authorization: 'Bearer x' }),
    'an Authorization header decides alone',
  );
  t.false(known({}));
});
