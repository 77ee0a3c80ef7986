import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { SessionFile, type StoredSession } from '../../../apps/cli/session/session-file.ts';
import { configFolder } from '../../../apps/cli/session/settings.ts';
import { listening } from '../../support/listening.ts';
import { paddockLines } from '../../support/paddock-line.ts';

const hour = 3_600;
const now = () => Math.floor(Date.now() / 1000);
const sessionOf = (token: string, of: Partial<StoredSession> = {}): StoredSession => ({
  ...{ hotkey: '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', role: 'miner', token },
  ...{ expires_at: now() + hour, ...of },
});

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-sessions-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('sessions of several services stand side by side, and one goes alone', async (t) => {
  const file = new SessionFile(join(await folderOf(t), 'session.json'));
  await file.keep('https://a.example', sessionOf('a'));
  await file.keep('https://b.example', sessionOf('b'));
  const tokens = async () =>
    await Promise.all(
      ['a', 'b'].map(async (name) => (await file.of(`https://${name}.example`))?.token),
    );
  t.deepEqual(await tokens(), ['a', 'b']);
  t.is(await file.current(), 'https://b.example');

  await file.forget('https://a.example');

  t.deepEqual(await tokens(), [undefined, 'b']);
  t.is(await file.current(), 'https://b.example', 'where one signed in last');
});

/** A service that says by which token it was asked, as an operator and as a miner. */
async function tokens(t: ExecutionContext) {
  const heard: (string | undefined)[] = [];
  const { origin } = await listening(t, ({ headers }, response) => {
    heard.push(headers.authorization?.replace('Bearer ', ''));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ agents: [], can_submit: true, next_allowed_at: null }));
  });
  return { origin, heard };
}

test('the line comes before variables, these before config.json, and that before the last session', async (t) => {
  const folder = await folderOf(t);
  const [line, variable, config, session] = await Promise.all([1, 2, 3, 4].map(() => tokens(t)));
  if (!(line && variable && config && session)) throw new Error('four services');
  const sessions = new SessionFile(join(folder, 'session.json'));
  await sessions.keep(session.origin, sessionOf('x'));
  const asked = async (args: readonly string[], PADDOCK_URL?: string) => {
    const run = paddockLines({ variables: { PADDOCK_CONFIG_DIR: folder, PADDOCK_URL } });
    const { code, error } = await run('agents', '--token', 'x', ...args);
    t.is(code, 0, error);
  };
  const counts = () => [line, variable, config, session].map(({ heard }) => heard.length);

  await asked([]);
  t.deepEqual(counts(), [0, 0, 0, 1]);
  await writeFile(join(folder, 'config.json'), JSON.stringify({ url: config.origin }));
  await asked([]);
  t.deepEqual(counts(), [0, 0, 1, 1]);
  await asked([], variable.origin);
  t.deepEqual(counts(), [0, 1, 1, 1]);
  await asked(['--url', line.origin], variable.origin);
  t.deepEqual(counts(), [1, 1, 1, 1]);
  await asked([], '');
  t.deepEqual(counts(), [1, 1, 2, 1], 'an empty variable is none');
});

test('a token comes from the line, a variable, a session that lasts, and last from config.json', async (t) => {
  const folder = await folderOf(t);
  const { origin, heard } = await tokens(t);
  const config = { url: origin, token: 'of config', operator_token: 'of config, operator' };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const sessions = new SessionFile(join(folder, 'session.json'));
  const asked = async (args: readonly string[], of: object = {}) => {
    const run = paddockLines({ variables: { PADDOCK_CONFIG_DIR: folder, ...of } });
    const { code, error } = await run(...args);
    t.is(code, 0, error);
    return heard.at(-1);
  };

  t.is(await asked(['agents']), 'of config');
  await sessions.keep(origin, sessionOf('of a session that is over', { expires_at: now() - hour }));
  t.is(await asked(['agents']), 'of config');
  await sessions.keep(origin, sessionOf('of the session'));
  t.is(await asked(['agents']), 'of the session');
  const variable = { PADDOCK_TOKEN: 'of a variable' };
  t.is(await asked(['agents'], variable), 'of a variable');
  t.is(await asked(['agents', '--token', 'of the line'], variable), 'of the line');

  t.is(await asked(['operator', 'stuck']), 'of config, operator');
  const operator = { ...variable, PADDOCK_OPERATOR_TOKEN: 'of a variable, operator' };
  t.is(await asked(['operator', 'stuck'], operator), 'of a variable, operator');
  t.is(await asked(['operator', 'stuck', '--token', 'of the line'], operator), 'of the line');
});

test('who asks who they are hears by the exit code that the session is over', async (t) => {
  const folder = await folderOf(t);
  const url = 'https://a.example';
  const sessions = new SessionFile(join(folder, 'session.json'));
  const whoami = async (session?: StoredSession) => {
    if (session !== undefined) await sessions.keep(url, session);
    const run = paddockLines({ variables: { PADDOCK_CONFIG_DIR: folder, PADDOCK_URL: url } });
    const [{ code, out }, { code: again, out: json }] = [
      await run('whoami'),
      await run('whoami', '--json'),
    ];
    t.is(again, code);
    for (const secret of ['a-token', 'ab'.repeat(64)]) t.false((out + json).includes(secret));
    return [code, /^(?:ended|ends) .*$/m.exec(out)?.[0].split(/ +/)[0]];
  };

  t.deepEqual(await whoami(), [3, undefined]);
  t.deepEqual(await whoami(sessionOf('a-token')), [0, 'ends']);
  const over = sessionOf('a-token', { expires_at: now() - hour });
  t.deepEqual(await whoami(over), [3, 'ended']);
  // The kept key goes on without it.
  t.deepEqual(await whoami({ ...over, secret_key: 'ab'.repeat(64) }), [0, 'ended']);
});

test('sessions are where the user keeps settings', async (t) => {
  const home = await folderOf(t);
  await mkdir(join(home, '.config'));
  t.is(configFolder({}, home), join(home, '.config', 'paddock'));
  t.is(configFolder({ APPDATA: '/roaming' }, home), join('/roaming', 'paddock'));
  const xdg = { APPDATA: '/roaming', XDG_CONFIG_HOME: '/xdg' };
  t.is(configFolder(xdg, home), join('/xdg', 'paddock'));
  t.is(configFolder({ ...xdg, PADDOCK_CONFIG_DIR: '/own' }, home), '/own');
});
