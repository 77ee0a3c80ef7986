import test from 'ava';
import { statusByCode } from '../../apps/edge/faults.ts';
import { faultCodes } from '../../machines/fault.ts';
import { faultTexts } from '../../machines/fault-texts.ts';
import { detailOf, glimpse, refusal } from '../../machines/refusal.ts';

/** One or more clauses that begin like a sentence and end like one; an API path may come first. */
const sentence = /^[A-Za-z][^\n]*\.$/;

test('every code says what is wrong, and what to do next in one short sentence', (t) => {
  for (const code of faultCodes) {
    const { says, next } = faultTexts[code];
    t.regex(says, sentence, code);
    t.regex(next, /^[A-Z][^\n]*\.$/, code);
    t.notRegex(next, /\. [A-Z]/, code);
    t.true(says.length <= 120 && next.length <= 90, code);
    t.is(refusal(code).message, `${says} ${next}`);
    t.is(detailOf(code), `${says} ${next}`);
  }
});

test('what waits for the service is told to come again, and nothing that it refuses for good', (t) => {
  for (const code of faultCodes) {
    const { again } = faultTexts[code];
    const isTemporary = statusByCode[code] === 429 || statusByCode[code] === 503;
    t.is(again === 'soon' || (again === 'later' && isTemporary), isTemporary, code);
  }
});

test('words that clients look for stay where they are', (t) => {
  t.regex(refusal('BANNED').message, /banned/);
  t.regex(refusal('INVALID_FILE').message, /^InvalidFileError:/);
});

test('a place that knows better says so, and what to do is said all the same', (t) => {
  const { next } = faultTexts.AT_CAPACITY;
  t.is(refusal('AT_CAPACITY', { says: 'You hold 1.' }).message, `You hold 1. ${next}`);
  t.is(refusal('AT_CAPACITY', { says: 'All.', next: 'Wait.' }).message, 'All. Wait.');
  t.deepEqual(refusal('LEASE_EXPIRED', { extras: { run_status: 'STALE' } }).extras, {
    run_status: 'STALE',
  });
});

test('no text of a caller makes a refusal long, nor comes back whole where it may be a secret', (t) => {
  const endless = refusal('INVALID_FILE', { says: 'x'.repeat(1_000_000) });
  t.true(endless.message.length < 3000);
  t.true(endless.message.endsWith(faultTexts.INVALID_FILE.next));
  t.is(glimpse('gpt-4'), 'gpt-4');
  t.is(glimpse('sk-0123456789abcdef'), 'sk-012345678…');
});
