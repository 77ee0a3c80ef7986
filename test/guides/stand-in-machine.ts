import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { systemEnv } from '../support/system-env.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';

/** Two coordinators and two edges of one version, and whoever upgrades them. */
export interface StandInMachine {
  /** Pastes a block as a terminal takes it: a line that fails does not keep the next one from being run. */
  paste(code: string): Promise<{ readonly code: number; readonly output: string }>;
  /** Pastes it, and is gone at the first of the lines that the machine writes down that begins so. */
  stopAt(line: string, code: string): Promise<void>;
  /** Makes every call that begins so fail from now on, or no call any more. */
  fail(call: string): Promise<void>;
  /** What was done, a line each. */
  done(): Promise<readonly string[]>;
  /** Of a file below its folder. */
  read(path: string): Promise<string>;
}

export const oldVersion = '1.0.0';
export const newVersion = '2.0.0';

/** What each program does as far as an upgrade meets it; `$STATE` is the machine's folder. */
const programs: Readonly<Record<string, string>> = {
  git: `case "$1" in
clone) [ ! -e "$5" ] || exit 128; mkdir -p "$5"; note "clone $5";;
checkout) echo "$3" > "$STATE/checked-out"; note "checkout $3";;
esac`,
  // Programs of ours are noted with the version whose folder they were started in.
  node: `case "$1" in
-p|-e|--env-file=*) exec "$REAL_NODE" "$@";;
*) note "node $* in $(basename "$PWD")";;
esac`,
  npx: `printf '{"members":['
comma=
for each in "$STATE"/members/*; do
  printf '%s{"member_id":"%s-%s","partition_count":16}' "$comma" "$(basename "$each")" "$(cat "$each")"
  comma=,
done
echo ']}'`,
  sudo: 'exec "$@"',
  systemctl: `unit=\${2#paddock-}
case "$1" in
restart) name=$(echo "$unit" | tr @ -); note "restart $name of $(basename "$(readlink "$OPT/$name")")"; begin "$name";;
show) echo $$;;
esac`,
  readlink: `case "$1" in
/proc/*) echo "$OPT/${newVersion}";;
*) exec /usr/bin/readlink "$@";;
esac`,
  curl: 'exit 0',
  sleep: 'note "sleep $*"; exec /usr/bin/sleep "$@"',
  'apt-get': 'exit 0',
  pg_dump: `for each; do case "$each" in --file=*) echo dumped-anew > "\${each#--file=}";; esac; done`,
  docker: `images=$STATE/images
case "$1 $2" in
"image inspect") [ -e "$images/$3" ];;
inspect*) [ -n "$4" ] && cat "$STATE/runs/$4";;
tag*) [ -n "$2" ] && cp /dev/stdin "$images/$3" <<< "$2"; note "tag $2 $3";;
"compose ps") echo edge-2;;
"compose exec" | "compose stop") note "\${*:2}";;
"compose build") echo "image-of-$(cat "$STATE/checked-out")" > "$STATE/built"; note build;;
"compose run") note "run \${*: -1} of $(cat "$STATE/built")";;
"compose up") name=\${*: -1}; cp "$STATE/built" "$STATE/runs/$name"; note "up $name of $(cat "$STATE/built")"; begin "$name";;
*) exit 1;;
esac`,
};

const before = `#!/bin/bash
call="$(basename "$0") $*"
# As the database's tool does: its file is empty before anything else can go wrong.
[ "\${call%% *}" = pg_dump ] && for each; do case "$each" in --file=*) : > "\${each#--file=}";; esac; done
failing=$(cat "$STATE/failing")
[ -n "$failing" ] && [ "\${call#"$failing"}" != "$call" ] && { echo "no $call today" >&2; exit 1; }
note() {
  echo "$*" >> "$STATE/done"
  stopping=$(cat "$STATE/stopping")
  [ -n "$stopping" ] && [ "\${*#"$stopping"}" != "$*" ] && { kill -KILL -"$(cat "$STATE/pid")"; }
  return 0
}
begin() {
  [ ! -e "$STATE/members/$1" ] || echo $(( $(cat "$STATE/members/$1") + 1 )) > "$STATE/members/$1"
}
`;

/** Goes with the test. */
export async function standInMachine(t: ExecutionContext): Promise<StandInMachine> {
  const state = await temporaryFolder();
  t.teardown(() => rm(state, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  const folderOf = (name: string) => join(state, name);
  const put = (name: string, text: string) => writeFile(folderOf(name), text);
  const [bin, opt] = [folderOf('bin'), folderOf('opt')];
  for (const name of ['bin', 'members', 'runs', 'images', `opt/${oldVersion}`]) {
    await mkdir(folderOf(name), { recursive: true });
  }
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `${before}${script}\n`, { mode: 0o755 });
  }
  for (const name of ['coordinator-1', 'coordinator-2', 'edge-1', 'edge-2']) {
    await put(`runs/${name}`, `image-of-${oldVersion}\n`);
    await symlink(join(opt, oldVersion), join(opt, name));
  }
  for (const port of ['8090', '8091'])
    await symlink(join(opt, oldVersion), join(opt, `edge-${port}`));
  for (const name of ['members/coordinator-1', 'members/coordinator-2']) await put(name, '1\n');
  for (const name of ['done', 'failing', 'stopping', 'pid', 'built']) await put(name, '');
  await put('checked-out', oldVersion);
  const env = {
    ...systemEnv(),
    ...{ STATE: state, OPT: opt, REAL_NODE: process.execPath, HOME: state },
    PATH: `${bin}${delimiter}${systemEnv()['PATH']}`,
  };
  const read = (path: string) => readFile(folderOf(path), 'utf8');
  const paste: StandInMachine['paste'] = async (code) => {
    const own = code
      .replaceAll('/opt/paddock', opt)
      .replaceAll('VERSION', newVersion)
      .replaceAll('REPOSITORY', 'nowhere');
    // Whoever upgrades sits where the last upgrade has left them.
    const script = `echo $$ > "$STATE/pid"\n${own}\n`;
    const cwd = join(opt, oldVersion);
    const child = execFileOf('setsid', ['--wait', 'bash', '-c', script], {
      cwd,
      env,
      timeout: 60_000,
    });
    return await child.then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error) => ({ code: Number(error.code ?? -1), output: `${error.stdout}${error.stderr}` }),
    );
  };
  return {
    ...{ paste, read },
    async stopAt(line, code) {
      await put('stopping', line);
      await paste(code);
      await put('stopping', '');
    },
    fail: (call) => put('failing', call),
    done: async () => (await read('done')).split('\n').filter((line) => line !== ''),
  };
}

const execFileOf = promisify(execFile);
