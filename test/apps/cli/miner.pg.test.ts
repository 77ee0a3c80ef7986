import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { claimPath, runPath } from '../../support/evaluation-client.ts';
import { listening } from '../../support/listening.ts';
import { paddockUser } from '../../support/paddock-command.ts';
import { paddockLines } from '../../support/paddock-line.ts';
import { sealed, trialBundle } from '../../support/trial-bundle.ts';

/** Of the phrase in keystores/phrase, from which every file there was made. */
const hotkey = '5Gv8YYFu8H1btvmrJy9FjjAWfb99wrhV3uhPFoNEr918utyR';
const keystore = (name: string) => fileURLToPath(new URL(`keystores/${name}`, import.meta.url));

let service: TestService;
test.before(async () => {
  service = await startTestService({
    env: { CODE_RELEASE_SECONDS: '1', AGENT_ENTRY_POINT: 'agent_main' },
  });
});
test.after.always(() => service?.stop());

const userOf = (t: ExecutionContext) => paddockUser(t, { url: service.baseUrl });

async function signedIn(t: ExecutionContext) {
  const user = await userOf(t);
  const { code, error } = await user.run('login', '--key', keystore('bittensor-hotkey'));
  t.is(code, 0, error);
  return user;
}

test.serial('operators prepare a service from the line', async (t) => {
  const env = { PADDOCK_OPERATOR_TOKEN: service.operatorToken };
  const operator = await paddockUser(t, { url: service.baseUrl, env });
  const registered = await operator.json('operator', 'register', hotkey, 'miner');
  t.like(registered, { hotkey, role: 'miner' });
  const suite = await operator.json<{ suite_id: number }>(
    ...['operator', 'create-suite', '--benchmark-name', 'Line', '--benchmark-number', '1'],
    ...['--execution-kind', 'legacy_benchmark', '--required-successes-qualifying', '1'],
    ...['--problems', '[{"metadata": {"title": "one"}}]'],
  );
  const activated = await operator.json('operator', 'activate-suite', String(suite.suite_id));
  t.true(activated['is_active']);
});

test.serial('a session stays, the key does not, and both are for their owner alone', async (t) => {
  const user = await signedIn(t);
  const kept = await readFile(user.sessionFile, 'utf8');
  const key = JSON.parse(await readFile(keystore('bittensor-hotkey'), 'utf8'));

  t.is((await stat(user.sessionFile)).mode & 0o777, 0o600);
  t.is((await stat(join(user.folder, '.config/paddock'))).mode & 0o777, 0o700);
  for (const secret of [key.secretPhrase, key.secretSeed.slice(2), key.privateKey.slice(2)]) {
    t.false(kept.includes(secret));
  }
  t.like(await user.json('whoami'), { hotkey, role: 'miner', key_kept: false });

  const { token } = JSON.parse(kept).sessions[service.baseUrl];
  t.is((await user.run('logout')).out, `Signed out at ${service.baseUrl}.\n`);
  t.false((await readFile(user.sessionFile, 'utf8')).includes(token));
  const headers = { authorization: `Bearer ${token}` };
  t.is((await service.call('GET', '/v1/miner/agents', { headers })).status, 401);
  const after = await user.run('agents');
  t.is(after.code, 3);
  t.regex(
    after.error,
    /^paddock: you are not signed in at http[^\n]+\nSign in with: paddock login/,
  );
});

test.serial(
  'a keystore takes its password from a variable where nobody can be asked',
  async (t) => {
    const user = await userOf(t);
    const line = ['login', '--key', keystore('polkadot.json'), '--json'] as const;
    const env = (PADDOCK_KEY_PASSWORD: string) => ({ env: { PADDOCK_KEY_PASSWORD } });

    const good = await user.withOptions(env('correct horse'), ...line);
    t.like(JSON.parse(good.out), { hotkey, role: 'miner' });
    for (const wrong of [
      await user.run(...line),
      await user.withOptions(env('battery'), ...line),
    ]) {
      t.is(wrong.code, 2);
      t.regex(
        JSON.parse(wrong.error).error.message,
        /no terminal to ask on: set PADDOCK_KEY_PASSWORD/,
      );
    }
  },
);

test.serial(
  'a stranger is told to register, and a phrase may come by standard input',
  async (t) => {
    const user = await userOf(t);
    const { code, error } = await user.withOptions(
      { input: '//Stranger\n' },
      'login',
      '--key',
      '-',
    );

    t.is(code, 3);
    t.regex(error, /Register the hotkey on the subnet/);
  },
);

test.serial(
  'a kept key goes on when its session is over, and another session does not',
  async (t) => {
    const user = await signedIn(t);
    const end = async () => {
      const file = JSON.parse(await readFile(user.sessionFile, 'utf8'));
      Object.assign(file.sessions[service.baseUrl], { expires_at: 1, token: 'none' });
      await writeFile(user.sessionFile, JSON.stringify(file));
    };
    await end();
    const over = await user.run('agents');
    t.is(over.code, 3);
    t.regex(over.error, /^paddock: the session of 5Gv8YYFu\w+ ended \d+ d/);

    const wallet = join(user.folder, '.bittensor/wallets/default/hotkeys');
    await mkdir(wallet, { recursive: true });
    await copyFile(keystore('bittensor-hotkey'), join(wallet, 'miner1'));
    const kept = ['login', '--wallet', 'default', '--hotkey', 'miner1', '--keep-key'];
    t.regex((await user.run(...kept)).out, /\nThe secret key is in \/.+ until you log out\.\n$/);
    await end();
    t.is((await user.run('agents')).code, 0);
  },
);

const agentCode = 'def agent_main(task):\n    return {"order": task["goal_text"]}\n';
const spoilt = 'import json\n\n\ndef agent_main(task):\n\treturn task.__class__.__bases__\n';

test.serial('check points at findings, and the service has the last word', async (t) => {
  const user = await userOf(t);
  const path = join(user.folder, 'agent.py');
  await writeFile(path, spoilt);
  const offline = await user.run('check', 'agent.py');
  t.is(offline.code, 1);
  t.regex(offline.out, /^error\[dunder-access\]: '__class__' is an internal of Python; [^\n]+\n/);
  const pointed = ` --> agent.py:5:14
  |
5 |     return task.__class__.__bases__
  |                 ^
`;
  t.true(offline.out.includes(pointed), offline.out);
  t.regex(offline.out, /\nagent\.py: 2 findings, so it would be refused, as far as this machine/);

  await user.run('login', '--key', keystore('phrase'));
  const refused = await user.run('submit', 'agent.py', '--name', 'spoilt');
  t.is(refused.code, 1);
  t.true(refused.out.includes(pointed), refused.out);
  const told = await user.run('submit', 'agent.py', '--name', 'spoilt', '--json');
  const { answer, exit_code } = JSON.parse(told.error).error;
  t.is(exit_code, 1);
  t.like(answer.violations[0], { rule: 'dunder-access', line: 5, column: 14 });
  t.regex(refused.error, /agent\.py: 2 findings, so nothing was submitted/);

  await writeFile(path, 'def agent(task:\n    return 1\n');
  const broken = await user.run('check', 'agent.py', '--json');
  t.is(broken.code, 1);
  const detail = `InvalidFileError: '(' was never closed (line 1); the file is read as Python 3.11. Mend the file and send it again.`;
  t.like(JSON.parse(broken.out), { ok: false, offline: { invalid: detail } });

  await writeFile(path, agentCode);
  const good = await user.run('check', 'agent.py', '--online');
  t.is(good.out, `agent.py: accepted, as ${service.baseUrl} says\n`);
});

interface BothVerdicts {
  readonly ok: boolean;
  readonly offline: { readonly invalid: string | null };
  readonly service: object;
}

test.serial('this machine and the service say the same of a name and an entry point', async (t) => {
  const user = await signedIn(t);
  const check = async (code: string, name: string): Promise<BothVerdicts> => {
    await writeFile(join(user.folder, 'agent.py'), code);
    const asked = ['check', 'agent.py', '--online', '--name', name, '--json'];
    return JSON.parse((await user.run(...asked)).out);
  };
  const nameless = await check(agentCode, 'straße');
  const idle = await check('async def agent_main(task):\n    return 1\n', 'fine');
  const mainless = await check('def agent(task):\n    return 1\n', 'fine');

  t.regex(nameless.offline.invalid ?? '', /An agent name has 1 to 100 letters/);
  t.regex(mainless.offline.invalid ?? '', /the file defines no 'agent_main', which the sandbox/);
  t.regex(idle.offline.invalid ?? '', /'agent_main', which is an async function, .* \(line 1\)/);
  for (const both of [nameless, mainless, idle]) {
    t.false(both.ok);
    t.deepEqual(both.service, both.offline);
  }
  const other = await user.run('check', 'agent.py', '--offline', '--entry-point', 'agent');
  t.is(other.code, 0, other.out);
});

let versionId = '';

test.serial('a submission is followed from the line to its score', async (t) => {
  const user = await signedIn(t);
  await writeFile(join(user.folder, 'agent.py'), agentCode);
  const unnamed = await user.run('submit', 'agent.py');
  t.is(unnamed.code, 2);
  t.regex(unnamed.error, /this is your first agent: name it with --name NAME/);
  const submitted = await user.json('submit', 'agent.py', '--name', 'liner');
  versionId = String(submitted['agent_version_id']);
  t.is(submitted['admission_status'], 'ACCEPTED');
  // The name of the only agent is taken by itself.
  const again = await user.run('submit', 'agent.py');
  t.is(again.code, 5);
  t.regex(again.error, /^paddock: your cooldown is not over: you may submit again in 1[78] h/);

  const first = await user.run('status', versionId);
  t.regex(first.out, /^liner, version 1 {2}QUEUED {2}/);
  t.regex(first.out, /\nwhere +waiting, at position 1 of the queue\nwhy +No validator was seen/);

  t.is((await user.run('status', 'liner')).code, 0, 'the name of one’s agent will do');
  t.is((await user.run('status', 'other')).code, 4);

  const watching = user.start(['status', versionId, '--watch']);
  const [out, ended] = [text(watching.stdout), once(watching, 'close')];
  const validator = await service.validator('cli validator');
  const claim = (await (await validator.post(claimPath, {})).json()) as { eval_run_id: string };
  const completion = { terminal_status: 'SUCCESS', validator_score: 0.75 };
  await validator.post(runPath(claim.eval_run_id, 'complete'), completion);
  const [code] = await ended;
  t.is(code, 0);
  const told = await out;
  t.regex(told, /run succeeded +run [0-9a-f-]{36}/);
  t.regex(told, /\nliner, version 1 {2}ELIGIBLE/);
  t.regex(told, / {2}5\w+… +qualifying +SUCCESS +0\.75 +in \d+ \w+ +yes +[0-9a-f-]{36}\n$/);
});

test.serial('a version is pinned and unpinned, and agents says which one races', async (t) => {
  const user = await signedIn(t);
  t.is((await user.run('pin', versionId)).out, `Pinned: version ${versionId} races.\n`);
  t.regex((await user.run('agents')).out, /liner +1 +ELIGIBLE +0\.75 .+ yes +yes +/);
  t.regex((await user.run('agents', 'liner')).out, /^VERSION .+\n1 +ELIGIBLE/);
  t.regex((await user.run('unpin')).out, /as the best one, version [0-9a-f-]{36} races/);
  const nobodys = await user.run('pin', '00000000-0000-4000-8000-000000000000');
  t.is(nobodys.code, 4);
});

test.serial('a credential is set without ever standing on the line', async (t) => {
  const user = await signedIn(t);
  const env = { PADDOCK_CREDENTIAL: 'demo-of-the-line' };
  const set = await user.withOptions({ env }, 'credentials', 'set', 'providera');
  t.is(set.out, 'providera is connected.\n');
  t.regex((await user.run('credentials')).out, /providera +connected +agents use it/);
  await service.sql`update inference_credential set rejected_at = rt.clock()`;
  const other = await user.withOptions({ env }, 'credentials', 'set', 'providerb');
  const advice =
    'Your agents still use providera, which is not connected. ' +
    'Use this one: paddock credentials default providerb\n';
  t.is(other.out, `providerb is connected.\n${advice}`);
  t.true((await user.run('credentials')).out.endsWith(advice));
  t.is((await user.run('credentials', 'default', 'providerb')).code, 0);
  t.false((await user.run('credentials')).out.includes('Use this one'));
  const refused = await user.withOptions(
    { env: { PADDOCK_CREDENTIAL: 'other' } },
    ...['credentials', 'set', 'providera'],
  );
  t.is(refused.code, 1);
  t.regex(refused.error, /The provider itself refused it/);
  const removed = await user.run('credentials', 'remove', 'providera');
  t.is(removed.out, 'providera is not connected any more.\n');
  t.is((await user.run('credentials', 'default', 'nobody')).code, 1);
});

test.serial('onlookers see race and leaderboard without signing in', async (t) => {
  const user = await userOf(t);
  t.regex((await user.run('top')).out, /^There is no top agent\.\n\nRANK .+\n1 +liner +1 +5Gv8/);
  const race = await user.run('race');
  t.regex(race.out, /^Race \d+ of suite \d+ {2}QUALIFYING_OPEN .+\ncloses +2\d{3}-.+\(in \d/);
  t.is((await user.run('races')).out, 'No race is over yet.\n');
  t.deepEqual((await user.json<{ races: unknown[] }>('races')).races, []);
});

test.serial('the feed is followed from its beginning until Ctrl-C', async (t) => {
  const user = await userOf(t);
  const following = user.start(['events', '--from', '0', '--type', 'version-eligible', '--json']);
  const ended = once(following, 'close');
  const [line] = await once(following.stdout, 'data');
  following.kill('SIGINT');

  t.like(JSON.parse(String(line)), { type: 'version-eligible', agent_version_id: versionId });
  t.is((await ended)[0], 130);
});

test.serial('Ctrl-C ends what is watched, with the exit code of shells', async (t) => {
  const user = await userOf(t);
  const watching = user.start(['race', '--watch']);
  const ended = once(watching, 'close');
  await once(watching.stdout, 'data');
  watching.kill('SIGINT');

  t.is((await ended)[0], 130);
});

test.serial(
  'released code is downloaded, held to its digest, and nothing is overwritten',
  async (t) => {
    const user = await userOf(t);
    const { out, error } = await user.run('download', versionId, '-o', 'top.py');
    const digest = createHash('sha256').update(agentCode).digest('hex');
    t.is(out, `top.py: ${agentCode.length} B, SHA-256 ${digest}\n`, error);
    t.is(await readFile(join(user.folder, 'top.py'), 'utf8'), agentCode);
    const again = await user.run('download', versionId, '-o', 'top.py');
    t.is(again.code, 1);
    t.regex(again.error, /^paddock: top\.py is there already\n *Replace it with --force/);
    const none = await user.run('download', '--run', '00000000-0000-4000-8000-000000000000');
    t.is(none.code, 4);
    t.regex(none.error, /paddock status ID lists the runs of a version/);
  },
);

test.serial('a race is computed again from a saved bundle', async (t) => {
  const user = await userOf(t);
  const signer = createEd25519Signer(new Uint8Array(32).fill(1));
  const save = async (bundle: ReturnType<typeof trialBundle>) => {
    const { bytes, seal } = sealed(bundle, signer);
    await writeFile(join(user.folder, 'race.gz'), bytes);
    await writeFile(join(user.folder, 'race.gz.manifest.json'), JSON.stringify(seal));
  };
  await save(trialBundle());
  const same = await user.run('verify', '--bundle', 'race.gz', '--public-key', signer.publicKey);
  t.is(same.code, 0, same.error);
  t.regex(same.out, /values agree, to the last bit/);

  const bundle = trialBundle();
  await save({ ...bundle, race: { ...bundle.race, top50_mean: '0.0001' } });
  const other = await user.run('verify', '--bundle', 'race.gz', '--json');
  t.is(other.code, 1);
  t.like(JSON.parse(other.out), { agrees: false });
});

test('a service that is not there is exit code 5 and one sentence', async (t) => {
  const user = await paddockUser(t, { url: 'http://127.0.0.1:2' });
  const { code, out, error } = await user.run('top');

  t.is(code, 5);
  t.is(out, '');
  t.regex(
    error,
    /^paddock: http:\/\/127\.0\.0\.1:2 does not answer \(ECONNREFUSED\)\nCheck the address: [^\n]+\n$/,
  );
});

test('an order whose answer was lost says how it is repeated', async (t) => {
  const { origin: url } = await listening(t, (request) => void request.socket.destroy());
  const user = await paddockUser(t, { url });
  await writeFile(join(user.folder, 'agent.py'), agentCode);
  const order = ['submit', 'agent.py', '--name', 'a', '--token', 'x', '--idempotency-key', 'mine'];
  const { code, error } = await user.run(...order);

  t.is(code, 5);
  t.regex(
    error,
    /whether it took effect is not known\n.+\nRepeated with --idempotency-key mine it is/,
  );
});

test.serial('a person sees a file go', async (t) => {
  const { folder } = await signedIn(t);
  const path = join(folder, 'agent.py');
  await writeFile(path, agentCode.padEnd(100_000, '#'));
  const PADDOCK_CONFIG_DIR = join(folder, '.config/paddock');
  const line = paddockLines({ variables: { PADDOCK_CONFIG_DIR }, isLive: true });
  const { code, error } = await line('submit', path, '--name', 'liner');

  t.is(code, 5, 'the cooldown');
  t.regex(error, /█+░+ \d\d? % {2}\d+\.\d kB\n/);
  t.regex(error, /█{24} 100 %/);
});
