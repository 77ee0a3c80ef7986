/**
 * The blocks by which operators upgrade a service, pasted once more after something stopped them: none is
 * done by the old version, none takes away the way back, and none goes on after what it builds on failed.
 * The programs are stand-ins; `npm run proof:guides` has the real ones.
 */
import test from 'ava';
import { blocksOf, readGuide } from './guide-blocks.ts';
import { newVersion, oldVersion, standInMachine } from './stand-in-machine.ts';

const blocks = blocksOf(readGuide('operators.md')).map(({ chapter, code }) => ({ chapter, code }));

/** The last one of a chapter that has a text. */
function block(chapter: string, mark: string): string {
  const found = blocks
    .filter((each) => each.chapter === chapter && each.code.includes(mark))
    .at(-1);
  if (found === undefined) throw new Error(`no block of "${chapter}" has ${mark}`);
  return found.code;
}

const install = block('Upgrade', 'infra/bootstrap.mjs');
const migrate = block('Upgrade', 'apps/migrate/main.ts');
const coordinators = block('Upgrade', 'paddock-coordinator@');
const edges = block('Upgrade', 'paddock-edge@');
const build = block('With compose', 'docker compose build');
const replace = block('With compose', '--force-recreate');

test('an install and a migration that are typed again are those of the new version', async (t) => {
  const machine = await standInMachine(t);

  for (const code of [install, install, migrate, migrate])
    t.is((await machine.paste(code)).code, 0);

  const ours = (await machine.done()).filter((line) => line.startsWith('node '));
  t.is(ours.length, 4);
  for (const line of ours) t.true(line.endsWith(` in ${newVersion}`), line);
});

test('where the new version cannot be fetched nothing is installed or migrated', async (t) => {
  const machine = await standInMachine(t);
  await machine.fail('git clone');

  for (const code of [install, migrate]) t.not((await machine.paste(code)).code, 0);

  t.deepEqual(await machine.done(), []);
});

test('all hosts can replace their coordinators before the first replaces an edge', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste(install);

  await machine.paste(coordinators);
  const first = (await machine.done()).filter((line) => line.startsWith('restart'));
  const { output } = await machine.paste(edges);

  t.deepEqual(
    first,
    [1, 2].map((i) => `restart coordinator-${i} of ${newVersion}`),
  );
  t.deepEqual(
    (await machine.done()).slice(-2),
    [8090, 8091].map((port) => `restart edge-${port} of ${newVersion}`),
  );
  t.regex(output, new RegExp(`/${newVersion}$`, 'm'));
});

for (const [name, code, restarts] of [
  ['under systemd', coordinators, 'restart coordinator'],
  ['with compose', replace, 'up coordinator'],
] as const) {
  test(`coordinators ${name} are replaced again from the first when that was stopped`, async (t) => {
    const machine = await standInMachine(t);
    await machine.paste(install);
    await machine.paste(build);
    await machine.stopAt(`${restarts}-2`, code);

    t.is((await machine.paste(code)).code, 0);

    const done = (await machine.done()).filter((line) => line.startsWith(restarts));
    t.deepEqual(
      done.map((line) => line.replace(/ of .*/, '')),
      ['1', '2', '1', '2'].map((i) => `${restarts}-${i}`),
    );
  });

  // What is not known to be old would count as new at once.
  test(`no coordinator is replaced ${name} while nobody says which there are`, async (t) => {
    const machine = await standInMachine(t);
    await machine.paste(install);
    await machine.paste(build);
    await machine.fail('npx paddock operator partitions');

    t.not((await machine.paste(code)).code, 0);

    t.deepEqual(
      (await machine.done()).filter((line) => /^(restart|up)/.test(line)),
      [],
    );
  });
}

// A container is healthy as soon as its process lives, whatever it has to refuse.
test('no second edge is replaced with compose while the first lets nobody in', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste(build);
  await machine.fail('curl -sf http://127.0.0.1:8081/health/deep');

  await machine.stopAt('sleep', replace);

  const edges = (await machine.done()).filter((line) => line.startsWith('up edge'));
  t.deepEqual(edges, [`up edge-1 of image-of-${newVersion}`]);
});

test('the image from before stays the way back, however often the new one is built', async (t) => {
  const machine = await standInMachine(t);
  const name = `images/paddock:before-${newVersion}`;

  await machine.stopAt('build', build);
  await machine.paste(build);
  await machine.stopAt('up edge-1', replace);
  await machine.paste(build);
  await machine.paste(replace);
  await machine.paste(build);

  t.is(await machine.read(name), `image-of-${oldVersion}\n`);
  t.is(await machine.read('runs/edge-2'), `image-of-${newVersion}\n`);
});

test('an image that cannot be built is followed by no migration', async (t) => {
  const machine = await standInMachine(t);
  await machine.fail('docker compose build');

  t.not((await machine.paste(build)).code, 0);

  t.deepEqual(
    (await machine.done()).filter((line) => line.startsWith('run ')),
    [],
  );
});

// Each login has one password: whoever pasted it again would shut out what runs by the file of before.
test('the file of variables is made once, and has the number of copies in it', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste(
    `mkdir ~/paddock-practice-2; for each in ready secrets; do echo '{}' > ~/paddock-practice-2/$each.json; done`,
  );
  const make = block('On one machine, without containers', 'randomBytes');

  t.is((await machine.paste(make)).code, 0);
  const first = await machine.read('paddock.env');
  t.is((await machine.paste(make)).code, 0);

  t.regex(first, /^DATABASE_EDGE_PASSWORD='[0-9a-f]{48}'$/m);
  t.regex(first, /^NATS_REPLICAS='1'$/m);
  t.is(await machine.read('paddock.env'), first);
});

test('what a process is told of the database is all but its owner and the passwords', async (t) => {
  const machine = await standInMachine(t);
  const units = block('On one machine, without containers', '/etc/systemd/system');
  const cut = units.split('\n').find((line) => line.startsWith('grep ')) ?? '';
  const kept = ['DATABASE_POOL_SIZE=7', 'NATS_URL=n'];
  const own = ['DATABASE_URL=u', 'DATABASE_EDGE_PASSWORD=e', 'DATABASE_COORDINATOR_PASSWORD=c'];
  await machine.paste(`printf '%s\\n' ${[...own, ...kept].join(' ')} > ~/paddock.env`);

  t.is((await machine.paste(cut.replaceAll('/etc/paddock', '~/runs'))).code, 0);

  t.is(await machine.read('runs/paddock.env'), `${kept.join('\n')}\n`);
});

// The form of an address that names a standby as well, which is no URL to programs that read one.
for (const [hosts, rest] of [
  ['database:5432', ''],
  ['one:5432,two:5432', '?sslmode=verify-full'],
] as const) {
  const ofOwner = `DATABASE_URL='postgres://paddock:secret@${hosts}/paddock${rest}'`;

  test(`each kind of process finds its own login at ${hosts}`, async (t) => {
    const machine = await standInMachine(t);
    const units = block('On one machine, without containers', '/etc/systemd/system');
    const [cut = ''] = /^logins=.*?^done$/ms.exec(units) ?? [];
    const passwords = `DATABASE_EDGE_PASSWORD='e@1'\nDATABASE_COORDINATOR_PASSWORD=c2`;
    await machine.paste(`printf '%b\\n' "${ofOwner}\\n${passwords}" > ~/paddock.env`);

    t.is((await machine.paste(cut.replaceAll('/etc/paddock', '~/runs'))).code, 0);

    for (const [kind, password] of [
      ['edge', 'e%401'],
      ['coordinator', 'c2'],
    ] as const) {
      const url = `postgres://paddock_${kind}_login:${password}@${hosts}/paddock${rest}`;
      t.is(await machine.read(`runs/${kind}.env`), `DATABASE_URL='${url}'\n`);
    }
  });

  test(`a dump is tried in a database beside the one at ${hosts}`, async (t) => {
    const machine = await standInMachine(t);
    const [cut] = block('Back up and restore', 'export RESTORED').split('\n');
    await machine.paste(`echo "${ofOwner}" > ~/paddock.env`);

    const { output } = await machine.paste(`${cut}\necho "$RESTORED"`);

    t.is(output, `postgres://paddock:secret@${hosts}/restored${rest}\n`);
  });
}

const rotate = block('Rotate keys', '/etc/paddock');

// What a unit reads is made of the file that people change: one that was forgotten has the old secret.
test('a changed secret is in what units read before the first process is started anew', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste(install);
  const variables = ['DATABASE_URL=postgres://o:p@h/d', 'DATABASE_EDGE_PASSWORD=e'];
  const all = [...variables, 'DATABASE_COORDINATOR_PASSWORD=c', 'RACE_SECRET=new'];
  await machine.paste(`printf '%s\\n' ${all.join(' ')} > ~/paddock.env`);
  await machine.paste('echo RACE_SECRET=old > ~/runs/paddock.env');

  await machine.stopAt('restart', rotate.replaceAll('/etc/paddock', '~/runs'));
  const made = await machine.read('runs/paddock.env');
  t.is((await machine.paste(rotate.replaceAll('/etc/paddock', '~/runs'))).code, 0);

  t.is(made, 'RACE_SECRET=new\n');
  const restarted = (await machine.done()).filter((line) => line.startsWith('restart'));
  t.deepEqual(
    restarted.map((line) => line.replace(/ of .*/, '')),
    ['coordinator-1', 'coordinator-1', 'coordinator-2', 'edge-8090', 'edge-8091'].map(
      (name) => `restart ${name}`,
    ),
  );
});

test('nothing is started anew for a file of variables that is not there', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste(install);
  await machine.paste('echo RACE_SECRET=old > ~/runs/paddock.env');

  t.not((await machine.paste(rotate.replaceAll('/etc/paddock', '~/runs'))).code, 0);

  t.is(await machine.read('runs/paddock.env'), 'RACE_SECRET=old\n');
  t.deepEqual(
    (await machine.done()).filter((line) => line.startsWith('restart')),
    [],
  );
});

// Half of a rotation would be worse than none: the login of one kind changed and the other's shut out.
for (const [missing, rest] of [
  ['edge', 'DATABASE_COORDINATOR_PASSWORD=c'],
  ['coordinator', 'DATABASE_EDGE_PASSWORD=e'],
] as const) {
  test(`a password of the ${missing} that is missing changes nothing, and starts nothing anew`, async (t) => {
    const machine = await standInMachine(t);
    await machine.paste(install);
    const files = ['paddock', 'edge', 'coordinator'].map((name) => `runs/${name}.env`);
    const variables = `DATABASE_URL=postgres://o:p@h/d ${rest} RACE_SECRET=s`;
    await machine.paste(`printf '%s\\n' ${variables} > ~/paddock.env`);
    await machine.paste(`for each in ${files.join(' ')}; do echo of before > ~/$each; done`);

    const { code, output } = await machine.paste(rotate.replaceAll('/etc/paddock', '~/runs'));

    t.not(code, 0);
    t.true(output.includes(`lacks DATABASE_URL or the password of the ${missing}`), output);
    for (const file of files) t.is(await machine.read(file), 'of before\n', file);
    t.deepEqual(
      (await machine.done()).filter((line) => line.startsWith('restart')),
      [],
    );
  });
}

test('a rotation makes what units read by the very lines that made it first', (t) => {
  const linesOf = (code: string) => {
    const lines = code.split('\n').map((line) => line.trim());
    return lines.slice(
      lines.findIndex((line) => line.startsWith('logins=')),
      lines.indexOf('done') + 1,
    );
  };
  const units = block('On one machine, without containers', '/etc/systemd/system');

  t.true(linesOf(units).length > 5);
  t.deepEqual(linesOf(rotate), linesOf(units));
});

const restore = block('With compose', 'pg_restore');

test('a restore that cannot set aside the database that is there restores nothing', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste('echo dumped > ~/paddock.dump');
  await machine.fail('docker compose exec -T postgres psql');

  t.not((await machine.paste(restore)).code, 0);

  const done = await machine.done();
  t.deepEqual(done[0], 'stop edge-1 edge-2 coordinator-1 coordinator-2');
  t.deepEqual(
    done.filter((line) => /pg_restore|migrate/.test(line)),
    [],
  );
});

for (const [name, chapter, call] of [
  ['with compose', 'With compose', 'docker compose exec -T postgres pg_dump'],
  ['without containers', 'Back up and restore', 'pg_dump'],
] as const) {
  test(`a dump ${name} that fails leaves the one from before`, async (t) => {
    const machine = await standInMachine(t);
    await machine.paste(`echo dumped > ~/paddock.dump; echo DATABASE_URL=u > ~/paddock.env`);
    await machine.fail(call);

    await machine.paste(block(chapter, 'pg_dump'));

    t.is(await machine.read('paddock.dump'), 'dumped\n');
  });
}

test('a dump without containers takes the place of the one from before', async (t) => {
  const machine = await standInMachine(t);
  await machine.paste(`echo dumped > ~/paddock.dump; echo DATABASE_URL=u > ~/paddock.env`);

  t.is((await machine.paste(block('Back up and restore', 'pg_dump'))).code, 0);

  t.is(await machine.read('paddock.dump'), 'dumped-anew\n');
});
