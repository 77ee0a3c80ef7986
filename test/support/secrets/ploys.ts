import { randomBytes, randomUUID } from 'node:crypto';
import type { CallOptions, TestKey } from '../edge-client.ts';
import type { PlantingWorld } from './planting.ts';
import { sendRaw } from './raw-sender.ts';

const urlSignature = /(?<=X-Amz-Signature=)[0-9a-f]{64}/;

type Ploy = (world: PlantingWorld, turn: number) => Promise<void>;

const pick = <T>(all: readonly T[], turn: number): T => all[turn % all.length] as T;
const base = '/v1/miner/inference-auth';
const question = (text: string, model = 'maple/maple-8b-instruct') => ({
  model,
  messages: [{ role: 'user', content: text }],
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** One character of the middle is another one. */
function misspelt(token: string): string {
  const at = Math.floor(token.length / 2);
  return `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`;
}

/** Credentials by every way in, accepted, replaced, refused and taken back. */
const credentials: Ploy = async ({ planting, miners }, turn) => {
  const miner = pick(miners, turn);
  const send = (path: string, body: unknown) => planting.hear(miner.post(path, body));
  const credential = (kind: string) => planting.secret(kind, 'demo-');
  const provider = turn % 2 === 0 ? 'providera' : 'providerb';
  await send(`${base}/${provider}`, { credential: credential('stored') });
  await send(`${base}/${provider}/rotate`, { credential: credential('rotated') });
  await send('/v1/miner/providera-auth', { refresh_token: credential('stored the old way') });
  await send(`${base}/${provider}`, { credential: planting.secret('refused by its provider') });
  await planting.hear(miner.get(base));
  await planting.hear(miner.get('/v1/miner/providera-auth'));
  if (turn % 3 === 2) await planting.hear(miner.request('DELETE', `${base}/${provider}`));
};

const providersInTrouble: Ploy = async (world, turn) => {
  const { planting, miners, runs, trouble } = world;
  const miner = pick(miners, turn);
  await trouble(turn % 2 === 0 ? 'status' : 'cut');
  const credential = planting.secret('stored while its provider failed', 'demo-');
  await planting.hear(miner.post(`${base}/providera`, { credential }));
  if (runs.length > 0) {
    await complete(world, turn, question(planting.secret('prompt while the provider failed')));
  }
  await trouble(undefined);
};

/** Secrets where none belongs: other fields, types, formats and names. */
const wrongPlaces: Ploy = async ({ planting, miners, door }, turn) => {
  const miner = pick(miners, turn);
  const path = `${base}/providera`;
  const secret = () => planting.secret('in the wrong place');
  const bodies: readonly (() => CallOptions)[] = [
    () => ({ body: { token: secret() } }),
    () => ({ body: { credential: { value: secret() } } }),
    () => ({ body: { credential: [secret()] } }),
    () => ({ body: { credential: `${secret()}\u0000` } }),
    () => ({ body: { credential: `${secret()}é` } }),
    () => ({ body: { credential: 'demo-x', [secret()]: true } }),
    () => ({ body: [secret()] }),
    () => ({ body: secret(), headers: { 'content-type': 'application/json' } }),
    () => ({
      body: `{"credential": "${planting.word('in broken JSON')}`,
      headers: { 'content-type': 'application/json' },
    }),
    () => ({ body: secret(), headers: { 'content-type': 'text/plain' } }),
    () => ({
      body: new URLSearchParams({ credential: secret() }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ];
  const made = pick(bodies, turn)();
  await planting.hear(miner.request('POST', path, made));
  await planting.hear(miner.request('POST', `${base}/${planting.word('as a provider')}`, made));
  await planting.hear(
    door.call('POST', '/v1/auth/session', {
      body: { hotkey: miner.hotkey, challenge: secret(), signature: secret(), more: secret() },
    }),
  );
  await planting.hear(door.call('POST', '/v1/auth/challenge', { body: { hotkey: secret() } }));
};

const submissions: Ploy = async ({ planting, miners }, turn) => {
  const form = new FormData();
  form.append(planting.word('as a part'), planting.secret('in an unknown part'));
  form.append('file', new Blob(['x = 1\n']), `${planting.word('as a file name')}.py`);
  await planting.hear(pick(miners, turn).request('POST', '/v1/miner/submit', { body: form }));
  const broken = `--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n${planting.word('broken form')}`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  await planting.hear(
    pick(miners, turn).request('POST', '/v1/miner/submit', { body: broken, headers }),
  );
};

/** Tokens of every kind, right, over, and wrong by one character. */
const tokens: Ploy = async ({ planting, door, miners, runs }, turn) => {
  const miner = pick(miners, turn);
  const opened = await miner.exchange(await miner.challenge()).catch(() => undefined);
  const token = await planting.take('session token', opened, /ses_[0-9a-f]+/);
  if (token !== undefined) {
    await planting.hear(door.call('GET', '/v1/miner/agents', { headers: bearer(token) }));
    await planting.hear(door.call('GET', '/v1/miner/agents', { headers: bearer(misspelt(token)) }));
    await planting.hear(door.call('DELETE', '/v1/auth/session', { headers: bearer(token) }));
    await planting.hear(door.call('GET', '/v1/miner/agents', { headers: bearer(token) }));
  }
  const operator = misspelt(door.operatorToken);
  await planting.hear(door.call('GET', '/v1/admin/overview', { headers: bearer(operator) }));
  const run = runs.length > 0 ? pick(runs, turn) : undefined;
  if (run !== undefined) {
    const path = '/v1/inference/providera/chat/completions';
    const headers = bearer(misspelt(run.token));
    const body = question(planting.secret('prompt of a stranger'));
    await planting.hear(door.call('POST', path, { headers, body }));
  }
};

const headers: Ploy = async ({ planting, door, miners }, turn) => {
  const paths = [
    '/v1/miner/agents',
    '/v1/admin/policy',
    '/v1/validator/standings',
    '/v1/public/top',
  ];
  const word = () => planting.word('in a header');
  const given: readonly (() => Record<string, string>)[] = [
    () => bearer(word()),
    () => bearer(`ses_${word()}`),
    () => bearer(`inf_${word()}`),
    () => ({ authorization: word() }),
    () => ({ authorization: `Basic ${Buffer.from(`u:${word()}`).toString('base64')}` }),
    () => ({ 'x-api-key': word(), cookie: `session=${word()}` }),
    () => ({ 'proxy-authorization': `Basic ${word()}` }),
    () => ({ baggage: `token=${word()}` }),
    () => ({ 'idempotency-key': word() }),
    () => ({ ...pick(miners, turn).headers(), 'x-signature': word() }),
  ];
  await planting.hear(door.call('GET', pick(paths, turn), { headers: pick(given, turn)() }));
  await planting.hear(
    door.operator('POST', '/v1/admin/webhooks', {
      headers: { 'idempotency-key': word() },
      body: { url: `https://u:${planting.word('password of a URL')}@example.org/` },
    }),
  );
};

const addresses: Ploy = async ({ planting, door, miners }, turn) => {
  const word = () => planting.word('in a URL');
  const targets: readonly (() => string)[] = [
    () => `/v1/public/leaderboard?access_token=${word()}`,
    () => `/v1/public/leaderboard?limit=${word()}`,
    () => `/v1/public/agent-versions?q=x&api_key=${word()}&sig=${word()}`,
    () => `/v1/nowhere/${word()}`,
    () => `/${word()}?token=${word()}`,
    () => `/v1/public/races/${word()}`,
    () => `/v1/public/races/%zz${word()}`,
    () => `/v1/admin/overview?token=${encodeURIComponent(planting.secret('in a URL'))}`,
    () => `/v1/miner/agents?credential=${word()}`,
  ];
  const target = pick(targets, turn)();
  await planting.hear(door.call('GET', target));
  await planting.hear(pick(miners, turn).get(`/v1/miner/agents?credential=${word()}`));
  await sendRaw(pick(door.baseUrls, turn), `GET /x?t=${word()} HTTP/9.9\r\nA: ${word()}\r\n\r\n`);
  await sendRaw(
    pick(door.baseUrls, turn),
    `GET ${targets[0]?.()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${word()}\r\nBad header ${word()}\r\n\r\n`,
  );
};

const webhooks: Ploy = async ({ planting, door }, turn) => {
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  planting.known('secret of a webhook', made);
  const register = (body: object, rightly: readonly string[] = []) =>
    planting.hear(door.operator('POST', '/v1/admin/webhooks', { body }), rightly);
  const url = 'http://127.0.0.1:9/hook';
  const kept = await register({ url, secret: made }, [made]);
  await register({ url, secret: planting.secret('malformed secret of a webhook') });
  await planting.hear(door.operator('GET', '/v1/admin/webhooks'));
  const webhookId = /"webhook_id":"([^"]+)"/.exec(kept.text)?.[1];
  if (webhookId !== undefined && turn % 2 === 0) {
    await planting.hear(door.operator('DELETE', `/v1/admin/webhooks/${webhookId}`));
  }
};

async function complete(world: PlantingWorld, turn: number, body: object): Promise<void> {
  const { planting, door, runs } = world;
  const path = `/v1/inference/${turn % 2 === 0 ? 'providera' : 'providerb'}/chat/completions`;
  const headers = { ...bearer(pick(runs, turn).token), 'x-trace-secret': planting.word('header') };
  await planting.hear(door.call('POST', path, { headers, body }));
}

const completions: Ploy = async (world, turn) => {
  const { planting, door, runs } = world;
  if (runs.length === 0) return;
  await complete(world, turn, question(planting.secret('prompt')));
  await complete(world, turn, { ...question(planting.secret('prompt of a stream')), stream: true });
  await complete(world, turn, question('hello', planting.secret('name of a model')));
  await complete(world, turn, { ...question('hello'), user: planting.secret('user'), messages: 7 });
  const headers = { ...bearer(pick(runs, turn).token), 'content-type': 'application/json' };
  const body = `{"messages": "${planting.word('prompt in broken JSON')}`;
  const path = '/v1/inference/providera/chat/completions';
  await planting.hear(door.call('POST', path, { headers, body }));
};

/** A presigned URL opens what it names for whoever has it. */
const presignedUrls: Ploy = async ({ planting, runs }, turn) => {
  if (runs.length === 0) return;
  const { validator, evalRunId, packSha256 } = pick(runs, turn);
  const body = {
    eval_run_id: evalRunId,
    env_pack_sha256: packSha256,
    artifact_sha256: randomBytes(32).toString('hex'),
    content_length: 10,
  };
  const path = '/v1/validator/episode-artifacts/presign';
  const answer = await validator.post(path, body).catch(() => undefined);
  await planting.take('signature of a URL', answer, urlSignature);
};

const ploys: readonly Ploy[] = [
  ...[credentials, wrongPlaces, tokens, headers, addresses, completions],
  ...[webhooks, submissions, providersInTrouble, presignedUrls],
];

/** Plants at least so many secrets; `between` is called after each ploy. */
export async function plantSecrets(
  world: PlantingWorld,
  count: number,
  between: (planted: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const { planting } = world;
  for (let turn = 0; planting.canaries.length < count || turn < ploys.length; turn++) {
    // Each ploy sees every number, so that it comes to all of its own cases.
    const ploy = pick(ploys, turn);
    await ploy(world, Math.floor(turn / ploys.length));
    await between(planting.canaries.length);
  }
}

/** Runs of fresh miners, whose agents may ask both providers. */
export async function plantRuns(
  { door, planting }: Pick<PlantingWorld, 'door' | 'planting'>,
  {
    count,
    packSha256,
    submit,
  }: {
    readonly count: number;
    readonly packSha256: string;
    readonly submit: (miner: TestKey) => Promise<unknown>;
  },
) {
  const runs: PlantingWorld['runs'][number][] = [];
  for (let made = 0; made < count; made++) {
    const miner = await door.miner(`planting miner ${randomUUID()}`);
    for (const provider of ['providera', 'providerb']) {
      const credential = planting.secret('stored for a run', 'demo-');
      await planting.hear(miner.post(`${base}/${provider}`, { credential }));
    }
    await submit(miner);
    const validator = await door.validator(`planting validator ${randomUUID()}`);
    const claimed = await validator.post('/v1/validator/work/claim');
    const text = await claimed.clone().text();
    const evalRunId = /"eval_run_id":"([^"]+)"/.exec(text)?.[1];
    await planting.take('signature of a URL', claimed.clone(), urlSignature);
    const token = await planting.take('token of a run', claimed, /inf_[0-9a-f]{64}/);
    if (token === undefined || evalRunId === undefined) throw new Error(`no token: ${text}`);
    runs.push({ evalRunId, packSha256, token, validator });
  }
  return runs;
}
