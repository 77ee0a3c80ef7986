import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { UsageError } from '../../apps/verify/options.ts';
import { imports, source } from '../tidy/sources.ts';
import { type Command, command, file, flag, names, read, usageOf, whole } from './command-line.ts';
import { everyCommand } from './every-command.ts';

const root = new URL('../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const commands = everyCommand.map((each) => each.command);

/** What a line is answered, where it is not taken. */
function refusal(of: Command, ...args: string[]): string | undefined {
  try {
    read(of, args);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function numbersOf({ options }: Command) {
  return Object.entries(options).flatMap(([name, option]) =>
    option.type === 'number' ? [[name, option] as const] : [],
  );
}

test('every command that people type reads its line before anything else', (t) => {
  const typed = Object.keys(scripts).filter((name) =>
    // `test:pages` and `test:long` are test files of `npm test --`, and read their line as that does.
    /^(?:sim|chaos|drills|bench|bench:.*|proof:.*|test:(?!(?:pages|long)$).*)$/.test(name),
  );
  t.deepEqual(commands.map(({ script }) => script).toSorted(), typed.toSorted());
  for (const name of typed) {
    t.true(scripts[name]?.endsWith(`infra/with-node.mjs test/command.ts ${name}`), name);
  }
});

test('a line without anything has what is usual', (t) => {
  for (const each of commands) {
    for (const [name, option] of numbersOf(each)) {
      t.is(read(each, [])?.[name], option.usual, `${each.script} --${name}`);
    }
  }
  t.like(read(commandOf('sim'), []), { seeds: 20, days: 1, seed: 1, processes: 1, calm: false });
  t.like(read(commandOf('chaos'), []), { minutes: 10, edges: 3, validators: 150, rate: 8 });
});

test('help shows each option with its unit, what is usual, and how far it goes', (t) => {
  for (const each of commands) {
    const usage = usageOf(each);
    t.true(usage.startsWith(`npm run ${each.script}`));
    for (const [name, option] of Object.entries({ ...each.places, ...each.options })) {
      t.true(usage.includes(name), `${each.script} ${name}`);
      if (option.type !== 'number') continue;
      const { unit, usual, min, max } = option;
      t.true(usage.includes(unit) && usage.includes(`from ${min} to ${max}`), name);
      t.true(usual === undefined || usage.includes(`${usual} unless told`), name);
    }
    t.is(read(each, ['--help']), undefined);
    t.is(read(each, ['--sedes', '3', '--help']), undefined);
  }
});

test('an option that there is not is named, and nothing is guessed', (t) => {
  for (const each of commands) {
    t.is(refusal(each, '--sedes', '3'), 'There is no option --sedes.');
    t.is(refusal(each, '--no-help'), 'There is no option --no-help.');
    t.is(refusal(each, '--toString'), 'There is no option --toString.');
    t.is(refusal(each, '-x'), 'There is no option -x.');
  }
});

test('a number is whole and within its bounds, or it is said what it may be', (t) => {
  for (const each of commands) {
    for (const [name, { min, max }] of numbersOf(each)) {
      const expected = `--${name} takes a whole number from ${min} to ${max}, not `;
      const wrong = ['abc', '-1', '1.5', '1e3', '0x10', 'NaN', ' 1', `${max + 1}`, '9'.repeat(30)];
      for (const text of min > 0 ? [...wrong, '0'] : wrong) {
        t.is(refusal(each, `--${name}`, text), `${expected}"${text}".`, `${each.script} ${text}`);
      }
      t.is(refusal(each, `--${name}`), `${expected}nothing.`);
      t.is(refusal(each, `--${name}=`), `${expected}nothing.`);
    }
  }
});

test('a number within its bounds is taken', (t) => {
  const sized = command({
    script: 'sized',
    says: '',
    options: { size: whole(2, 'x', { max: 9 }) },
  });
  t.deepEqual({ ...read(sized, ['--size', '9']) }, { size: 9 });
  t.deepEqual({ ...read(sized, ['--size=1']) }, { size: 1 });
  t.is(refusal(sized, '--size', '10'), '--size takes a whole number from 1 to 9, not "10".');
});

const named = command({
  script: 'named',
  says: 'Names.',
  options: {
    only: names('colours', ['red', 'blue']),
    report: file('a report'),
    calm: flag('calm'),
  },
});

test('names are given one by one or with commas, and none that there is not', (t) => {
  t.deepEqual(read(named, ['--only', 'red,blue'])?.only, ['red', 'blue']);
  t.deepEqual(read(named, ['--only', 'red', '--only', 'blue'])?.only, ['red', 'blue']);
  t.is(refusal(named, '--only', 'red,grey'), '--only takes red, blue, not "grey".');
  t.is(refusal(named, '--only', '--calm'), '--only takes a name.');
});

test('a file needs a name, a flag takes none, and what stands alone belongs to something', (t) => {
  t.is(read(named, ['--report', 'a.json'])?.report, 'a.json');
  t.true(read(named, ['--calm'])?.calm);
  t.is(refusal(named, '--report'), '--report takes a file.');
  t.is(refusal(named, '--calm=no'), '--calm takes no value.');
  t.is(refusal(named, '3'), '"3" belongs to no option.');
});

test('numbers by place are held to the same, and no more of them are taken', (t) => {
  const proof = commandOf('proof:contract');
  t.deepEqual({ ...read(proof, ['7', '3']) }, { SEED: 7, COUNT: 3 });
  t.deepEqual({ ...read(proof, []) }, { SEED: 1, COUNT: 10 });
  t.is(refusal(proof, '7', 'x'), 'COUNT takes a whole number from 1 to 10000, not "x".');
  t.is(refusal(proof, '7', '3', '1'), '"1" belongs to no option.');
});

test('of the typed line, a slip ends with 2 and says why, and help ends with 0', (t) => {
  const typed = (...args: string[]) =>
    spawnSync(process.execPath, [fileURLToPath(new URL('test/command.ts', root)), ...args], {
      encoding: 'utf8',
    });
  const slip = typed('chaos', '--minutes', '-1');
  t.is(slip.status, 2);
  t.is(slip.stdout, '');
  const [sentence, blank, usage] = slip.stderr.split('\n');
  t.is(sentence, '--minutes takes a whole number from 1 to 10080, not "-1".');
  t.is(blank, '');
  t.true(usage?.startsWith('npm run chaos -- '));
  t.notRegex(slip.stderr, /node:| at /);

  const help = typed('sim', '--help');
  t.is(help.status, 0);
  t.is(help.stdout.trim(), usageOf(commandOf('sim')));

  const unknown = typed('simm');
  t.is(unknown.status, 2);
  t.regex(unknown.stderr, /^There is no command "simm", but sim, /);
});

/** Everything that is loaded before a line is read: nothing that starts or connects. */
test('reading a line loads the tables alone', (t) => {
  const seen = new Set<string>();
  const follow = (path: string) => {
    if (seen.has(path) || !path.endsWith('.ts')) return;
    seen.add(path);
    const text = readFileSync(new URL(path, root), 'utf8');
    // What a command does is loaded by a call, later; a type is no import.
    const now = text.replaceAll(/\bimport\('[^']+'\)|^import type .*$/gm, '');
    for (const imported of imports(source(path, now))) follow(imported);
  };
  follow('test/command.ts');
  const others = [...seen].filter(
    (path) => !/^test\/(?:commands?|mutants\/(?:planted|every-mutant))\b/.test(path),
  );
  t.deepEqual(others, ['apps/verify/options.ts']);
});

function commandOf(script: string): Command {
  const found = commands.find((each) => each.script === script);
  if (found === undefined) throw new Error(`there is no command ${script}`);
  return found;
}
