import test from 'ava';
import * as ofRaces from '../../../machines/reasons/race-texts.ts';
import { codesOf, textOfEntry, textOfReason } from '../../../machines/reasons/reason-kinds.ts';
import * as ofRuns from '../../../machines/reasons/run-texts.ts';

const sentence = /^[A-Z][^|\n]+[.]$/;

for (const [name, kind] of Object.entries({ ...ofRuns, ...ofRaces })) {
  test(`every code of ${name} is told in a sentence, and what to do in another`, (t) => {
    for (const [code, { says, next }] of Object.entries(kind)) {
      t.regex(says, sentence, code);
      if (next !== null) t.regex(next, sentence, code);
    }
  });
}

test('a code means what it means in its field, and words of operators are no code', (t) => {
  const ban = (field: 'exclusion_reason' | 'failure_reason') =>
    textOfReason(field, 'VALIDATOR_BANNED')?.says;

  t.is(ban('exclusion_reason'), ban('failure_reason'));
  t.is(textOfReason('exclusion_reason', 'LEASE_EXPIRED'), undefined);
  t.is(textOfReason('discard_reason', 'it is a copy, see INTEGRITY'), undefined);
  t.is(textOfReason('discard_reason', 'constructor'), undefined);
  t.deepEqual(codesOf('waiting.reason'), ['MINER_BANNED', 'REPEATED_FAILURES']);
});

for (const [event, detail, says] of [
  ['run_stale', 'run 7f1c-22: LEASE_EXPIRED', /not heard of/],
  ['run_failed', 'run 7f1c-22: AGENT', /agent itself/],
  ['work_held', 'REPEATED_FAILURES', /it pauses/],
  ['race_entered', 'race 3 as PINNED', /by a pin/],
  ['race_cancelled', 'race 3: NO_FINISHER', /No entrant/],
  ['work_reopened', 'VERSION_REINSTATED', /took the discard/],
  ['discarded', 'a copy: INTEGRITY', undefined],
  ['run_excluded', 'run 7f1c-22: odd host', undefined],
  [
    'race_completed',
    'race 3: rank 1 of 40 with Overall 0.7; race score 0.6, rank 2 by it',
    undefined,
  ],
  ['race_completed', 'race 3: no rank among 40: NOT_FINISHED', /Too few of its runs/],
  ['race_completed', 'race 3: no rank among 40', undefined],
  ['pin_not_honoured', 'race 3: below_threshold', /below the threshold/],
  ['constructor', 'AGENT', undefined],
] as const) {
  test(`an entry of a timeline is told as what it is: ${event}, ${detail}`, (t) => {
    const told = textOfEntry(event, detail)?.says;
    if (says === undefined) t.is(told, undefined);
    else t.regex(told ?? '', says);
  });
}
