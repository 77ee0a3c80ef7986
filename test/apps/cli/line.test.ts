import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { commands } from '../../../apps/cli/commands.ts';
import { fishScript } from '../../../apps/cli/completion-scripts.ts';
import type { Desk } from '../../../apps/cli/desk.ts';
import { runLine } from '../../../apps/cli/run-line.ts';
import { screen } from '../../../apps/cli/show/screen.ts';

/** A whole line without a service: help, and what is wrong with it. */
async function line(...args: readonly string[]) {
  const [out, error]: string[][] = [[], []];
  const on = (texts: string[] | undefined) =>
    screen({
      stream: { write: (text: string) => texts?.push(text) },
      ...{ isLive: false, isStyled: false, columns: () => 80, rows: () => 24 },
    });
  const desk = (): Promise<Desk> => Promise.reject(new Error('the line went through'));
  const options = { commands, out: on(out), err: on(error), version: '1.2.3', desk };
  const code = await runLine(args, options);
  return { code, out: out?.join('') ?? '', error: error?.join('') ?? '' };
}

for (const [args, message] of [
  [
    'sumbit agent.py',
    'there is no command sumbit; did you mean submit?\npaddock --help lists them',
  ],
  [
    'operator bann x',
    'there is no command operator bann; did you mean operator ban?\npaddock operator --help lists them',
  ],
  [
    'status --wach x',
    'there is no option --wach; did you mean --watch?\nUsage: paddock status ID [OPTIONS]',
  ],
  [
    'status',
    'status needs ID: of an agent version, or the name of your agent: its latest\nUsage: paddock status ID [OPTIONS]',
  ],
  ['pin a b', 'pin does not know what to do with "b"\nUsage: paddock pin ID [OPTIONS]'],
  [
    'operator ban 5F',
    'operator ban needs --reason TEXT: why; it stands in the audit log\nUsage: paddock operator ban HOTKEY --reason TEXT [OPTIONS]',
  ],
  [
    'operator register 5F owner',
    'ROLE must be one of miner, validator, not "owner"\nUsage: paddock operator register HOTKEY ROLE [OPTIONS]',
  ],
  [
    'top --score best',
    '--score must be one of qualifying, race, not "best"\nUsage: paddock top [OPTIONS]',
  ],
  ['--json top', 'name a command before --json: paddock --help lists them'],
] as const) {
  test(`a wrong line says how to do it right, with exit code 2: ${args}`, async (t) => {
    const { code, out, error } = await line(...args.split(' '));

    t.is(code, 2);
    t.is(out, '');
    const told = args.startsWith('--json') ? JSON.parse(error).error.message : error;
    t.is(told.trimEnd(), args.startsWith('--json') ? message : `paddock: ${message}`);
  });
}

test('with --json a wrong line is told as JSON', async (t) => {
  const { code, error } = await line('status', '--json');

  t.is(code, 2);
  t.like(JSON.parse(error), { error: { code: 'USAGE', exit_code: 2, status: null } });
});

for (const command of commands) {
  test(`${command.name} has help with its usage and an example`, async (t) => {
    const { code, out, error } = await line(...command.name.split(' '), '--help');

    t.is(code, 0, error);
    t.true(out.startsWith(`${command.says}.\n\nUsage: paddock ${command.name}`));
    t.regex(out, /\nExamples\n {2}# [^\n]+\n {2}\S/);
    for (const name of Object.keys(command.options ?? {})) t.true(out.includes(`--${name}`), name);
  });
}

test('help about a command is what its own option tells', async (t) => {
  for (const name of ['submit', 'operator ban', 'operator']) {
    const asked = await line('help', ...name.split(' '));
    t.deepEqual(asked, await line(...name.split(' '), '--help'));
    t.is(asked.code, 0);
  }
  const wrong = await line('help', 'sumbit');
  t.is(wrong.code, 2);
  t.regex(wrong.error, /did you mean submit\?/);
  t.deepEqual(await line('help', 'help'), await line('help'));
});

test('every example of the help is a line that its command takes', async (t) => {
  for (const { examples } of commands) {
    for (const [example] of examples) {
      const inner = /<\((.*)\)/.exec(example)?.[1] ?? example.split(' > ')[0] ?? '';
      const words = inner.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
      const { error } = await line(...words.slice(1));
      t.true(error === '' || error.includes('the line went through'), `${example}: ${error}`);
    }
  }
});

test('help lists every command, and the exit codes', async (t) => {
  const [all, operators] = [await line('--help'), await line('operator', '--help')];

  t.is(all.code, 0);
  t.is((await line()).code, 2, 'nothing was asked for');
  for (const { name } of commands) {
    const page = name.startsWith('operator ') ? operators : all;
    if (!name.startsWith('credentials ')) t.true(page.out.includes(`  ${name}  `), name);
  }
  t.regex(all.out, / {2}5 {4}not now/);
  t.is((await line('--version')).out, 'paddock 1.2.3\n');
});

test('fish is told every command and option with what it says', (t) => {
  const script = fishScript(commands);
  for (const { name, options = {} } of commands) {
    const [first = '', second] = name.split(' ');
    t.true(script.includes(` -a ${second ?? first} -d '`), name);
    for (const option of Object.keys(options)) t.true(script.includes(` -l ${option}`), option);
  }
});

test('npx finds the command, and any Node starts it', (t) => {
  const root = new URL('../../../', import.meta.url);
  const { bin, version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const file = fileURLToPath(new URL(bin.paddock, root));

  t.true(readFileSync(file, 'utf8').startsWith('#!/usr/bin/env node\n'));
  t.true((statSync(file).mode & 0o111) === 0o111, 'it can be executed');
  const told = execFileSync(process.execPath, [file, '--version'], { encoding: 'utf8' });
  t.is(told, `paddock ${version}\n`);
});

test('a command that signs nothing starts without the library that signs', (t) => {
  const main = fileURLToPath(new URL('../../../apps/cli/main.ts', import.meta.url));
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (url.includes('@polkadot')) throw new Error('loaded ' + url);
      return next(url, context);
    } });`;
  const first = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  t.notThrows(() => execFileSync(process.execPath, [...first, main, '--version']));
});
