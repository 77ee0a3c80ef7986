import { PassThrough } from 'node:stream';
import test from 'ava';
import { asking, Interrupted } from '../../../apps/cli/keys/ask.ts';
import { UsageError } from '../../../apps/cli/usage-error.ts';

/** A terminal's keyboard, and all that its screen was written. */
function terminal() {
  const modes: boolean[] = [];
  const shown: string[] = [];
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  });
  const screen = { write: (text: string) => shown.push(text) };
  return { keyboard, modes, shown, asks: asking({ keyboard, screen }) };
}

test('what is typed into a hidden question is never shown', async (t) => {
  const { keyboard, modes, shown, asks } = terminal();
  const answer = asks.hidden('Password: ', '');
  for (const keys of ['hunterr', '\u007f', '\u001b[D', '2', 'é', '\r']) {
    keyboard.write(keys);
  }

  t.is(await answer, 'hunter2é');
  t.is(shown.join(''), 'Password: \n');
  t.deepEqual(modes, [true, false]);
  t.true(keyboard.isPaused(), 'or the process would never end');
});

test('a second question is answered by what is typed after the first', async (t) => {
  const { keyboard, asks } = terminal();
  const first = asks.hidden('One: ', '');
  keyboard.write('wrong\u0015one\n');
  t.is(await first, 'one');
  const second = asks.hidden('Two: ', '');
  keyboard.write('two\n');
  t.is(await second, 'two');
});

for (const [name, keys] of [
  ['Ctrl-C', 'a\u0003'],
  ['Ctrl-D', '\u0004'],
] as const) {
  test(`${name} gives up and gives the terminal back`, async (t) => {
    const { keyboard, modes, asks } = terminal();
    const answer = asks.hidden('Password: ', '');
    keyboard.write(keys);

    await t.throwsAsync(answer, { instanceOf: Interrupted });
    t.deepEqual(modes, [true, false]);
  });
}

test('without a terminal nobody is asked, and what to do instead is said', async (t) => {
  const asks = asking({ keyboard: new PassThrough(), screen: { write: () => true } });

  await t.throwsAsync(asks.hidden('Password: ', 'set PADDOCK_KEY_PASSWORD'), {
    instanceOf: UsageError,
    message: 'there is no terminal to ask on: set PADDOCK_KEY_PASSWORD',
  });
});
