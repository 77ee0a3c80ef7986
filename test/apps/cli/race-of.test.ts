import test from 'ava';
import { answeredLine } from '../../support/answered-line.ts';

for (const command of ['race', 'verify']) {
  test(`paddock ${command} says of the number of a race where its id is`, async (t) => {
    const { code, error } = await answeredLine({}, command, '12');

    t.is(code, 4, error);
    t.is(
      error,
      'paddock: "12" is no id of a race\n' +
        'See the ids of past races beside their numbers with: paddock races\n',
    );
  });
}
