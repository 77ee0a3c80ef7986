import test from 'ava';
import { Refused } from '../../../apps/dashboard/browser/api.ts';
import { learned, nothingKnown, shownFor } from '../../../apps/dashboard/browser/known-answer.ts';

const failure = new Refused({ status: 503, code: 'OVERLOADED', detail: 'Too much at once.' });
const first = learned(nothingKnown, '?q=first', { value: 'a first' });

test('before anything is told there is nothing to show', (t) => {
  t.deepEqual(shownFor(nothingKnown, '?q=first'), {
    ...{ value: undefined, failure: undefined, isEarlier: false },
  });
  t.is(shownFor(learned(nothingKnown, '?q=first', { failure }), '?q=first').failure, failure);
});

test('an answer stays beside a failure to refresh it', (t) => {
  const shown = shownFor(learned(first, '?q=first', { failure }), '?q=first');
  t.deepEqual(shown, { value: 'a first', failure, isEarlier: false });
});

test('while another question is asked the answer before is told as such', (t) => {
  t.deepEqual(shownFor(first, '?q=second'), {
    ...{ value: 'a first', failure: undefined, isEarlier: true },
  });
  // That it could not be refreshed is no news of the new question.
  t.is(shownFor(learned(first, '?q=first', { failure }), '?q=second').failure, undefined);
});

test('a question that failed shows no answer to another', (t) => {
  const failed = learned(first, '?q=second', { failure });
  t.deepEqual(shownFor(failed, '?q=second'), { value: undefined, failure, isEarlier: false });
  t.is(shownFor(failed, '?q=third').value, undefined);
  t.is(shownFor(failed, '?q=third').failure, undefined);

  const told = learned(failed, '?q=second', { value: undefined });
  t.deepEqual(shownFor(told, '?q=second'), {
    ...{ value: undefined, failure: undefined, isEarlier: false },
  });
});

test('where nothing is asked nothing is shown', (t) => {
  t.is(shownFor(first, undefined).value, undefined);
});
