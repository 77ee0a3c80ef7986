import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { caller, type TestKey } from '../../support/edge-client.ts';
import { until } from '../../support/until.ts';
import {
  bearerForms,
  hotkeyForms,
  nonceForms,
  plainForms,
  signatureForms,
  signedLines,
  timestampForms,
} from './header-forms.ts';

const chainSeconds = 1;
const route = '/v1/miner/agents';
const inferenceRoute = '/v1/inference/providera/chat/completions';

let service: TestService;
test.before(async () => {
  // The third one is met only after the other two are gone.
  const env = { CHAIN_CACHE_SECONDS: String(chainSeconds), REQUEST_SECONDS: '10' };
  service = await startTestService({ edges: 3, env });
});
test.after.always(() => service?.stop());

const bothEdges = () => service.baseUrls.slice(0, 2);

/** How often a signed request was let in, by its hotkey and nonce: what the last test judges. */
const letIn = new Map<string, number>();

function noteLetIn(lines: readonly string[]): void {
  const [, hotkey] = /^x-hotkey:\s*(\S+)/im.exec(lines.join('\n')) ?? [];
  const [, nonce] = /^x-nonce:\s*(\S+)/im.exec(lines.join('\n')) ?? [];
  if (hotkey === undefined || nonce === undefined) return;
  const use = `${hotkey} ${nonce.toLowerCase()}`;
  letIn.set(use, (letIn.get(use) ?? 0) + 1);
}

/** Lines as they are, in their order and number: `fetch` would tidy them up. */
async function ask(baseUrl: string, lines: readonly string[], target = `GET ${route}`) {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  const head = [`${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines, '', ''];
  socket.write(head.join('\r\n'));
  const [answer] = await Promise.all([text(socket), once(socket, 'close')]);
  const code = /"error_code":"(\w+)"/.exec(answer)?.[1];
  if (answer.startsWith('HTTP/1.1 200 ')) noteLetIn(lines);
  return code === undefined ? answer.slice(9, 12) : `${answer.slice(9, 12)} ${code}`;
}

async function codeOf(answer: Response): Promise<string> {
  const told = await answer.text();
  return `${answer.status} ${/"error_code":"(\w+)"/.exec(told)?.[1] ?? ''}`.trim();
}

async function noncesOf({ hotkey }: TestKey): Promise<number> {
  const rows = await service.sql`select nonce from nonce where hotkey = ${hotkey}`;
  return rows.length;
}

/** On both edges, and burning nothing. */
async function refusesAll(
  t: ExecutionContext,
  key: TestKey,
  cases: readonly (() => readonly string[])[],
  expected: RegExp,
) {
  const before = await noncesOf(key);
  const asked = cases.flatMap((lines) => bothEdges().map((baseUrl) => [baseUrl, lines()] as const));
  const answers = await Promise.all(asked.map(([baseUrl, lines]) => ask(baseUrl, lines)));
  for (const [index, answer] of answers.entries()) {
    t.regex(answer, expected, asked[index]?.[1].join(' | '));
  }
  t.is(await noncesOf(key), before);
}

test.serial('each of the four headers has one form, though signed as it is sent', async (t) => {
  const key = await service.miner('forms');
  const of = (name: 'hotkey' | 'nonce' | 'timestamp', spell: (plain: string) => string) => () => {
    const plain = plainForms(key);
    return signedLines(key, { ...plain, [name]: spell(plain[name]) });
  };
  const times = timestampForms.map((spell) => of('timestamp', spell));
  await refusesAll(t, key, times, /^401 (INVALID_TIMESTAMP|TIMESTAMP_SKEW)$/);
  await refusesAll(
    t,
    key,
    nonceForms.map((spell) => of('nonce', spell)),
    /^401 INVALID_NONCE$/,
  );
  const hotkeys = hotkeyForms.map((spell) => of('hotkey', spell));
  await refusesAll(t, key, hotkeys, /^401 INVALID_HOTKEY$/);
  const signatures = signatureForms.map((make) => () => {
    const plain = plainForms(key);
    const { hotkey, timestamp, nonce } = plain;
    return signedLines(key, plain, make(key, `${hotkey}:${timestamp}:${nonce}`));
  });
  await refusesAll(t, key, signatures, /^401 INVALID_SIGNATURE$/);
});

test.serial('a header that is missing, empty or there twice proves nothing', async (t) => {
  const key = await service.miner('absent');
  const good = () => signedLines(key, plainForms(key));
  const without = [0, 1, 2, 3].map((at) => () => good().toSpliced(at, 1));
  const emptied = [0, 1, 2, 3].map((at) => () => {
    return good().map((line, index) => (index === at ? line.replace(/:.*/, ': ') : line));
  });
  await refusesAll(t, key, [...without, ...emptied], /^401 MISSING_CREDENTIALS$/);
  const twice = [0, 1, 2, 3].map((at) => () => {
    const lines = good();
    return [...lines, lines[at] ?? ''];
  });
  await refusesAll(t, key, twice, /^401 INVALID_(HOTKEY|TIMESTAMP|NONCE|SIGNATURE)$/);
});

test.serial(
  'names in any case, in any order and with spaces around the values are the same',
  async (t) => {
    const key = await service.miner('same');
    const [one = '', other = ''] = bothEdges();
    const lines = () => signedLines(key, plainForms(key));
    t.is(
      await ask(
        one,
        lines().map((line) => line.replace(/^[^:]+/, (name) => name.toUpperCase())),
      ),
      '200',
    );
    t.is(await ask(other, lines().toReversed()), '200');
    t.is(
      await ask(
        one,
        lines().map((line) => `${line.replace(': ', ':\t  ')}  `),
      ),
      '200',
    );
    const plain = plainForms(key);
    const upper = { ...plain, nonce: plain.nonce.toUpperCase() };
    t.is(await ask(other, signedLines(key, upper)), '200');
    t.is(await ask(one, signedLines(key, plain)), '401 NONCE_REUSED');
    t.is(await noncesOf(key), 4);
  },
);

test.serial('an Authorization header decides alone, whatever is signed beside it', async (t) => {
  const key = await service.miner('bearers');
  const token = await key.openSession();
  const signed = () => signedLines(key, plainForms(key));
  const forms = bearerForms.map((spell) => () => [`Authorization: ${spell(token)}`, ...signed()]);
  const twice = () => [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`];
  await refusesAll(t, key, [...forms, twice], /^401 INVALID_SESSION$/);
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    for (const baseUrl of bothEdges()) {
      t.is(await ask(baseUrl, [`Authorization: ${scheme} ${token}`]), '200');
    }
  }
});

test.serial('a token of one kind is worth nothing where another is asked for', async (t) => {
  const key = await service.validator('kinds');
  const tokens = {
    session: await key.openSession(),
    operator: service.operatorToken,
    run: `inf_${'a'.repeat(64)}`,
  };
  const targets = {
    session: `GET /v1/validator/evaluation-runs/${plainForms(key).nonce}/problems`,
    operator: 'GET /v1/admin/overview',
    run: `POST ${inferenceRoute}`,
  };
  for (const [kind, token] of Object.entries(tokens)) {
    for (const [wanted, target] of Object.entries(targets)) {
      if (kind === wanted) continue;
      for (const baseUrl of bothEdges()) {
        const lines = [`Authorization: Bearer ${token}`, 'Content-Length: 0'];
        t.is(await ask(baseUrl, lines, target), '401 INVALID_SESSION', `${kind} for ${wanted}`);
      }
    }
  }
  // Nor is a signature, where only a token counts.
  for (const target of [targets.operator, targets.run]) {
    const lines = [...signedLines(key, plainForms(key)), 'Content-Length: 0'];
    t.is(await ask(service.baseUrl, lines, target), '401 MISSING_CREDENTIALS');
  }
});

test.serial('the same signed request 20 times at once over two edges is let in once', async (t) => {
  const key = await service.miner('at-once');
  for (let round = 0; round < 3; round += 1) {
    const lines = signedLines(key, plainForms(key));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => ask(bothEdges()[at % 2] ?? '', lines)),
    );
    t.is(answers.filter((answer) => answer === '200').length, 1);
    t.is(answers.filter((answer) => answer === '401 NONCE_REUSED').length, 19);
  }
});

test.serial('the same challenge 20 times at once over two edges opens one session', async (t) => {
  const key = await service.miner('challenged');
  const challenge = await key.challenge();
  const body = { hotkey: key.hotkey, challenge, signature: key.sign(challenge) };
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const call = caller(bothEdges()[at % 2] ?? '');
      return await codeOf(await call('POST', '/v1/auth/session', { body }));
    }),
  );
  t.is(answers.filter((answer) => answer === '200').length, 1);
  t.is(answers.filter((answer) => answer === '401 INVALID_CHALLENGE').length, 19);
  const sessions = await service.sql`select from session where hotkey = ${key.hotkey}`;
  t.is(sessions.length, 1);
});

test.serial('a challenge is for its hotkey, its text and one attempt, on any edge', async (t) => {
  const [key, other] = [await service.miner('attempt'), await service.miner('attempt-other')];
  const exchange = async (hotkey: string, challenge: string, signature: string) => {
    const body = { hotkey, challenge, signature };
    return await codeOf(await caller(bothEdges()[1] ?? '')('POST', '/v1/auth/session', { body }));
  };
  const spoilt: readonly ((challenge: string) => readonly [string, string, string])[] = [
    (challenge) => [other.hotkey, challenge, other.sign(challenge)],
    (challenge) => [key.hotkey, challenge, other.sign(challenge)],
    (challenge) => [key.hotkey, challenge, key.sign(`${challenge} `)],
    (challenge) => [key.hotkey, challenge, key.sign(challenge.slice(0, -1))],
    (challenge) => [key.hotkey, challenge, `0x${'0'.repeat(126)}80`],
    (challenge) => [key.hotkey, challenge, ''],
  ];
  for (const attempt of spoilt) {
    const challenge = await key.challenge();
    t.regex(await exchange(...attempt(challenge)), /^401 INVALID_(CHALLENGE|SIGNATURE)$/);
    const honest = await exchange(key.hotkey, challenge, key.sign(challenge));
    t.is(honest, '401 INVALID_CHALLENGE');
  }
  const unknown: readonly ((challenge: string) => string)[] = [
    (challenge) => challenge.toUpperCase(),
    (challenge) => `${challenge} `,
    (challenge) => ` ${challenge}`,
    (challenge) => challenge.replace('paddock-auth', 'Paddock-auth'),
    (challenge) => `<Bytes>${challenge}</Bytes>`,
    (challenge) => challenge.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    (challenge) => challenge.replace(/:(\d+):/, ':0$1:'),
    () => '',
  ];
  const kept = await key.challenge();
  for (const spell of unknown) {
    const text = spell(kept);
    t.is(await exchange(key.hotkey, text, key.sign(text)), '401 INVALID_CHALLENGE', text);
  }
  t.is(await exchange(key.hotkey, kept, key.sign(kept)), '200', 'others did not consume it');
});

/** Asks again and again; answers what no edge may do: a 2xx to what was sent too late. */
async function lateAnswers(
  key: TestKey,
  token: string,
  by: { readonly toldMs: () => number | undefined; readonly withinMs: number },
): Promise<string[]> {
  const late: string[] = [];
  const endMs = () => (by.toldMs() ?? Date.now()) + by.withinMs + 400;
  const lane = async (baseUrl: string, lines: () => readonly string[], what: string) => {
    while (Date.now() < endMs()) {
      const sentMs = Date.now();
      const answer = await ask(baseUrl, lines());
      if (answer === '200' && sentMs > (by.toldMs() ?? sentMs) + by.withinMs) {
        late.push(`${what} ${sentMs - (by.toldMs() ?? 0)} ms after`);
      }
      await sleep(20);
    }
  };
  await Promise.all(
    bothEdges().flatMap((baseUrl) => [
      lane(baseUrl, () => [`Authorization: Bearer ${token}`], 'session'),
      lane(baseUrl, () => signedLines(key, plainForms(key)), 'signature'),
    ]),
  );
  return late;
}

test.serial('a second after a ban nothing is let in, on any edge and by any scheme', async (t) => {
  const key = await service.miner('banned');
  const token = await key.openSession();
  let bannedMs: number | undefined;
  const watching = lateAnswers(key, token, { toldMs: () => bannedMs, withinMs: 1000 });
  await sleep(150);
  const path = `/v1/admin/hotkeys/${key.hotkey}/ban`;
  const answer = await service.operator('PUT', path, { body: { reason: 'cheats' } });
  bannedMs = Date.now();
  t.is(answer.status, 200);
  t.deepEqual(await watching, []);
  t.is(await ask(service.baseUrl, [`Authorization: Bearer ${token}`]), '401 INVALID_SESSION');
  t.is(await ask(service.baseUrl, signedLines(key, plainForms(key))), '403 BANNED');
  t.is(await codeOf(await key.exchange(await key.challenge())), '403 BANNED');
});

test.serial(
  'a deregistration and a change of role hold within the time of the cache',
  async (t) => {
    const key = await service.miner('leaves');
    const token = await key.openSession();
    const withinMs = chainSeconds * 1000 + 2000;
    let toldMs: number | undefined;
    const watching = lateAnswers(key, token, { toldMs: () => toldMs, withinMs });
    await sleep(100);
    const path = `/v1/admin/chain/registrations/${key.hotkey}`;
    t.is(
      (await service.operator('PUT', path, { body: { role: 'validator', stake: 1000 } })).status,
      200,
    );
    toldMs = Date.now();
    t.deepEqual(await watching, [], 'it is a validator now');
    t.is(await ask(service.baseUrl, [`Authorization: Bearer ${token}`]), '401 WRONG_ROLE');
    t.is((await service.operator('PUT', path, { body: { role: 'miner', stake: 0 } })).status, 200);
    await until(
      async () => (await ask(bothEdges()[1] ?? '', [`Authorization: Bearer ${token}`])) === '200',
    );
    toldMs = undefined;
    const watchingAgain = lateAnswers(key, token, { toldMs: () => toldMs, withinMs });
    t.is((await service.operator('DELETE', path)).status, 200);
    toldMs = Date.now();
    t.deepEqual(await watchingAgain, [], 'it is nobody now');
    for (const baseUrl of bothEdges()) {
      t.is(await ask(baseUrl, [`Authorization: Bearer ${token}`]), '401 NOT_REGISTERED');
      t.is(await ask(baseUrl, signedLines(key, plainForms(key))), '401 NOT_REGISTERED');
    }
  },
);

test.serial(
  'while nonces cannot be stored nobody is let in, and nobody twice after it',
  async (t) => {
    const key = await service.miner('stuck');
    const lines = signedLines(key, plainForms(key));
    const answers: string[] = [];
    await service.sql.begin(async (tx) => {
      await tx`lock table nonce in access exclusive mode`;
      const asked = Promise.all(bothEdges().map((baseUrl) => ask(baseUrl, lines)));
      void asked.then((told) => answers.push(...told));
      // Who holds a lock and is idle is cut off.
      while (answers.length === 0) await tx`select pg_sleep(0.1)`;
    });
    // The second one may be told of the first at once, where both meet in one batch.
    for (const answer of answers) t.regex(answer, /^503 |^401 NONCE_REUSED$/);
    t.true(answers.some((answer) => answer.startsWith('503')));
    for (let again = 0; again < 4; again += 1) {
      answers.push(await ask(bothEdges()[again % 2] ?? '', lines));
    }
    t.true(answers.filter((answer) => answer === '200').length <= 1, answers.join(', '));
    t.is(answers.at(-1), '401 NONCE_REUSED');
  },
);

// Hooks, because they take apart what all the tests above share, and look at what those left.
test.serial.after('an edge that starts later knows what was used, and 503 is no yes', async (t) => {
  const key = await service.miner('later');
  const lines = signedLines(key, plainForms(key));
  t.is(await ask(service.baseUrl, lines), '200');
  const challenge = await key.challenge();
  t.is((await key.exchange(challenge)).status, 200);
  const { hotkey } = key;
  const unused = await key.challenge();
  const exchange = async (text: string) => {
    const body = { hotkey, challenge: text, signature: key.sign(text) };
    return await codeOf(await caller(third)('POST', '/v1/auth/session', { body }));
  };
  const [, , third = ''] = service.baseUrls;
  await Promise.all(service.edges.slice(0, 2).map((edge) => edge[Symbol.asyncDispose]()));
  t.is(await ask(third, lines), '401 NONCE_REUSED');
  t.is(await exchange(challenge), '401 INVALID_CHALLENGE');
  t.is(await exchange(unused), '200');
  await service.chain.stop();
  const unseen = service.stranger('unseen');
  t.is(await ask(third, signedLines(unseen, plainForms(unseen))), '503 CHAIN_UNAVAILABLE');
  t.is(await ask(third, signedLines(key, plainForms(key))), '200', 'seen within the grace');
  await Promise.all(service.coordinators.map((coordinator) => coordinator[Symbol.asyncDispose]()));
  t.regex(await ask(third, signedLines(key, plainForms(key))), /^503 /, 'nobody stores its nonce');
});

test.after('what is stored of all this keeps the invariants of identity', async (t) => {
  const { sql } = service;
  // INV-37: once, and kept for twice the skew at least, so nothing of this run may be gone.
  const again = [...letIn].filter(([, times]) => times > 1);
  t.deepEqual(again, []);
  const rows = await sql<{ use: string }[]>`select hotkey || ' ' || nonce as use from nonce`;
  const kept = new Set(rows.map(({ use }) => use));
  t.true(letIn.size > 20);
  t.deepEqual(
    [...letIn.keys()].filter((use) => !kept.has(use)),
    [],
  );
  // INV-38.
  const unearned = await sql`
    select from session s
    where not exists (
      select from challenge c
      where c.hotkey = s.hotkey and c.consumed_at between s.created_at - interval '5 s'
        and s.created_at and c.consumed_at < c.expires_at)`;
  t.is(unearned.length, 0);
  const [opened] = await sql<{ sessions: number; consumed: number }[]>`
    select (select count(*)::integer from session) as "sessions",
      (select count(*)::integer from challenge where consumed_at is not null) as "consumed"`;
  t.true((opened?.sessions ?? 0) > 0 && (opened?.sessions ?? 0) <= (opened?.consumed ?? 0));
  // INV-39.
  const banned = await sql`select from session s join hotkey_ban b on b.hotkey = s.hotkey`;
  t.is(banned.length, 0);
  // INV-41.
  const plain = await sql`
    select from session where token_sha256 !~ '^[0-9a-f]{64}$'
    union all select from challenge where challenge_sha256 !~ '^[0-9a-f]{64}$'`;
  t.is(plain.length, 0);
});
