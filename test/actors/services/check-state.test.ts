import test from 'ava';
import {
  type CheckNote,
  type CheckState,
  checkState,
} from '../../../actors/services/credentials/check-state.ts';

const rests: CheckNote = { busyBy: null, isStored: false, isOvertaken: false };

const cases: readonly (readonly [string, CheckNote | undefined, CheckState])[] = [
  ['was never shown is shown for the first time', undefined, 'first'],
  ['was shown, with nothing that came of it, is shown again', rests, 'again'],
  ['another shows is waited for', { ...rests, busyBy: 'other' }, 'busy'],
  ['is stored is not shown', { ...rests, isStored: true }, 'stored'],
  ['is not wanted any more is not shown', { ...rests, isOvertaken: true }, 'overtaken'],
  [
    'another shows is not waited for where it is overtaken',
    { ...rests, busyBy: 'other', isOvertaken: true },
    'overtaken',
  ],
  ['this order shows is its own', { ...rests, busyBy: 'own' }, 'own'],
  [
    'this order shows is shown to the end where it is overtaken',
    { ...rests, busyBy: 'own', isOvertaken: true },
    'own',
  ],
];

for (const [what, note, state] of cases) {
  test(`what ${what}`, (t) => {
    t.is(checkState(note, 'own'), state);
  });
}
