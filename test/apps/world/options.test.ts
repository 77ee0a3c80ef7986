import { resolve } from 'node:path';
import test from 'ava';
import { readOptions, UsageError, usage } from '../../../apps/world/options.ts';

test('without options the world has seven miners, four validators and port 8080', (t) => {
  const options = readOptions([], {});

  t.like(options, { serve: false, once: false, json: false, port: 8080, edges: 1 });
  t.like(options, { coordinators: 1, miners: 7, validators: 4, seed: 1, suite: undefined });
  t.is(options?.dataDir, resolve('.paddock'));
});

test('a value may follow its option or an equals sign', (t) => {
  const options = readOptions(['--edges', '2', '--coordinators=3', '--data-dir=x'], {});

  t.like(options, { edges: 2, coordinators: 3, dataDir: resolve('x') });
});

test('the port of the environment counts unless the option names one', (t) => {
  t.is(readOptions([], { PORT: '9000' })?.port, 9000);
  t.is(readOptions([], { PORT: '' })?.port, 8080);
  t.is(readOptions(['--port', '0'], { PORT: '9000' })?.port, 0);
});

test('real validators take the place of simulated ones and bring three example agents', (t) => {
  const options = readOptions(['--real-validators', '2'], {});

  t.like(options, { realValidators: 2, validators: 2, miners: 3 });
  t.like(readOptions([], {}), { realValidators: 0 });
});

test('traces are kept where somebody stays to look at them, or by word', (t) => {
  const keeps = (...args: string[]) => readOptions(args, {})?.traces;

  t.true(keeps());
  t.true(keeps('--real-validators', '2'));
  for (const mode of [['--serve'], ['--once'], ['--days', '2']]) {
    t.false(keeps(...mode));
    t.true(keeps(...mode, '--traces'));
  }
});

test('help is asked for, not refused', (t) => {
  t.is(readOptions(['--help'], {}), undefined);
  t.regex(usage(), /--ready-file PATH/);
});

const refusals: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [['--edge', '2'], /unknown option --edge: did you mean --edges\?/],
  [['--valdators', '2'], /did you mean --validators\?/],
  [['--nonsense'], /unknown option --nonsense: see --help/],
  [['serve'], /unknown option serve/],
  [['--miners'], /--miners needs a value/],
  [['--miners', 'many'], /whole number from 0 to 100000, not many/],
  [['--miners', '-1'], /whole number/],
  [['--port', '65536'], /whole number from 0 to 65535/],
  [['--edges', '0'], /--edges must be at least 1/],
  [['--once=yes'], /--once takes no value/],
  [['--days', '0'], /--days must be at least 1/],
  [['--days', '3', '--once'], /--days and --once do not go together/],
  [['--days', '3', '--suite', 'x.json'], /--days and --suite do not go together/],
  [['--days', '3', '--miners', '0'], /needs miners and validators/],
  [['--days', '3', '--serve'], /--days is about the simulation/],
  [['--serve', '--once'], /--serve has none/],
  [['--serve', '--suite', 'x.json'], /--suite is about the simulation/],
  [['--once', '--validators', '0'], /needs miners and validators/],
  [['--real-validators', '0'], /--real-validators must be at least 1/],
  [['--real-validators', '2', '--validators', '2'], /--real-validators and --validators do not/],
  [['--real-validators', '2', '--days', '3'], /--real-validators and --days do not go together/],
  [['--real-validators', '2', '--serve'], /--real-validators is about the simulation/],
];

for (const [args, says] of refusals) {
  test(`${args.join(' ')} is refused in one sentence`, (t) => {
    const error = t.throws(() => readOptions(args, {}), { instanceOf: UsageError });

    t.regex(error.message, says);
    t.false(error.message.includes('\n'));
  });
}

test('simulated miners cannot register on a chain of somebody else', (t) => {
  const env = { CHAIN_RPC_URL: 'ws://node.example' };

  t.throws(() => readOptions([], env), { instanceOf: UsageError, message: /use --serve/ });
  t.notThrows(() => readOptions(['--serve'], env));
});
