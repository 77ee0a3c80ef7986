import { createHash, randomUUID } from 'node:crypto';
import test from 'ava';
import {
  minerAgents,
  minerVersions,
  submission,
  submissionCheck,
} from '../../spec/answers/miner.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  agentCode,
  type SubmissionPart,
  sendSubmission,
  submissionForm,
  submit,
} from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';

const fileBytesMax = 100_000;
const rejectionsMax = 12;
const checkPath = '/v1/miner/submit/check';
const submitPath = '/v1/miner/submit';

let service: TestService;
let withoutSuite: readonly Response[] = [];
test.before(async () => {
  service = await startTestService({
    env: {
      AGENT_FILE_BYTES_MAX: String(fileBytesMax),
      REJECTED_SUBMISSIONS_PER_HOUR: String(rejectionsMax),
    },
  });
  const early = await service.miner('early');
  withoutSuite = [
    await sendSubmission(early, { name: '???', file: 'import os.nothing(' }),
    await early.request('POST', checkPath, { body: submissionForm({ name: 'a', file: 'x' }) }),
  ];
  await openTrialSuite(service);
});
test.after.always(() => service?.stop());

/** Python of exactly `bytes` bytes. */
const codeOf = (bytes: number) => `${agentCode}#`.padEnd(bytes, 'x');

const check = (miner: TestKey, part: SubmissionPart) =>
  miner.request('POST', checkPath, {
    body: submissionForm({ name: 'shopper', file: agentCode, ...part }),
  });

async function counts() {
  const [row] = await service.sql<{ versions: number; agents: number; work: number }[]>`
    select (select count(*) from agent_version)::int as versions,
      (select count(*) from agent)::int as agents, (select count(*) from work_item)::int as work`;
  return row;
}

test('without an active suite nothing else is looked at', async (t) => {
  t.is(withoutSuite.length, 2);
  for (const answer of withoutSuite) await refused(t, answer, '503 NO_ACTIVE_SUITE');
});

test('an accepted file starts the cooldown and waits for its evaluation', async (t) => {
  const miner = await service.miner('accepted');

  const answer = unkept(t, await sendSubmission(miner));
  const body = await shaped(t, submission, answer);

  t.is(body.hotkey, miner.hotkey);
  const cooldownMs = Date.parse(body.next_allowed_at) - Date.now();
  t.true(Math.abs(cooldownMs - 64_800_000) < 10_000);
  const [row] = await service.sql<{ sha: string; size: number; work: number }[]>`
    select v.code_sha256 as sha, v.code_size_bytes as size,
      (select count(*) from work_item w where w.agent_version_id = v.agent_version_id)::int as work
    from agent_version v where v.agent_version_id = ${body.agent_version_id}`;
  const sha = createHash('sha256').update(agentCode).digest('hex');
  t.deepEqual(row, { sha, size: agentCode.length, work: 1 });
});

test('a second file within the cooldown waits whole seconds', async (t) => {
  const miner = await service.miner('cooldown');
  await submit(miner);

  // The cooldown is asked before the file is looked into.
  for (const file of [agentCode, 'def (', 'import ctypes\n']) {
    const answer = await sendSubmission(miner, { file });
    const retryAfter = answer.headers.get('retry-after');
    const body = await refused(t, answer, '429 COOLDOWN_ACTIVE');
    const seconds = Number(body['remaining_seconds']);
    t.true(Number.isInteger(seconds) && seconds >= 64_700 && seconds <= 64_800);
    t.is(retryAfter, String(seconds));
  }
  // Name and size come first.
  await refused(t, await sendSubmission(miner, { name: '<b>' }), '400 INVALID_AGENT_NAME');
  const large = codeOf(fileBytesMax + 1);
  await refused(t, await sendSubmission(miner, { file: large }), '413 FILE_TOO_LARGE');
});

test('of two submissions of one hotkey at once exactly one is accepted', async (t) => {
  const miner = await service.miner('racing');

  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => sendSubmission(miner, { name })),
  );

  const statuses = answers.map(({ status }) => status).sort();
  t.deepEqual(statuses, [200, 429, 429, 429]);
  const rows = await service.sql`
    select agent_version_id from agent_version where miner_hotkey = ${miner.hotkey}`;
  t.is(rows.length, 1);
});

test('a name has 1 to 100 plain characters', async (t) => {
  const miner = await service.miner('names');
  const long = 'n'.repeat(100);
  const wrong = [
    '',
    '   ',
    `${long}n`,
    // Longer than a field is read, and one of them a name without its blanks.
    'n'.repeat(1025),
    `shopper${' '.repeat(2000)}`,
    'a/b',
    'a\nb',
    'naïve',
    'a\u0000b',
    '🛒',
    'a<b>',
    "a'b",
    'ａ',
  ];
  for (const name of wrong) {
    await refused(t, await sendSubmission(miner, { name }), '400 INVALID_AGENT_NAME');
    await refused(t, await check(miner, { name }), '400 INVALID_AGENT_NAME');
  }
  for (const name of [long, 'A z.0_-', '-']) t.is((await check(miner, { name })).status, 200, name);
});

test('a file may have exactly the limit, with its part before or after the name', async (t) => {
  for (const fileFirst of [false, true]) {
    const miner = await service.miner(`limit ${fileFirst}`);
    const over = { file: codeOf(fileBytesMax + 1), fileFirst };
    await refused(t, await sendSubmission(miner, over), '413 FILE_TOO_LARGE');
    await refused(t, await check(miner, over), '413 FILE_TOO_LARGE');

    const exact = await sendSubmission(miner, { file: codeOf(fileBytesMax), fileFirst });

    t.is(exact.status, 200, `file first: ${fileFirst}`);
  }
});

test('a file that CPython would not load is no valid file', async (t) => {
  const miner = await service.miner('unreadable');
  const bad: readonly (readonly [string, string | Uint8Array])[] = [
    ['a lone 0xFF', new Uint8Array([0x61, 0xff])],
    ['UTF-16', Buffer.from('\ufeffx = 1\n', 'utf16le')],
    ['an overlong slash', new Uint8Array([0xc0, 0xaf])],
    ['half of a surrogate pair', new Uint8Array([0xed, 0xa0, 0x80])],
    ['a NUL', 'x = 1\u0000\n'],
    ['a syntax error', 'def agent(:\n'],
    ['Python 2', 'print "hello"\n'],
    ['newer than the sandbox', 'type X = int\n'],
    ['an empty file', ''],
    ['an insecure library', 'import subprocess\n'],
    ['an insecure library in a corner', 'def f():\n    from ctypes import CDLL\n'],
  ];
  for (const [what, file] of bad) {
    for (const answer of [await sendSubmission(miner, { file }), await check(miner, { file })]) {
      const { detail } = await refused(t, answer, '400 INVALID_FILE');
      t.true(detail.startsWith('InvalidFileError:'), `${what}: ${detail}`);
    }
  }
});

test('what the analysis forbids is shown with its place', async (t) => {
  const miner = await service.miner('violations');
  const file = 'import os\n\n\ndef agent(task):\n    return eval("1") + os.getpid()\n';

  const body = await refused(t, await sendSubmission(miner, { file }), '422 CODE_ANALYSIS_ERROR');

  const shownViolations = submissionCheck.parse({ ok: false, violations: body['violations'] });
  t.deepEqual(
    shownViolations.violations.map(({ rule, line, column }) => [rule, line, column]),
    [
      ['forbidden-builtin', 5, 12],
      ['attribute-not-listed', 5, 27],
    ],
  );
  const rehearsed = await shaped(t, submissionCheck, await check(miner, { file }));
  t.deepEqual(rehearsed, shownViolations);
  t.is((await sendSubmission(miner)).status, 200, 'a refusal starts no cooldown');
});

test.serial('a rehearsal changes nothing, and is allowed in the cooldown', async (t) => {
  const miner = await service.miner('rehearsal');
  const before = await counts();

  const answer = unkept(t, await check(miner, {}));

  t.deepEqual(await shaped(t, submissionCheck, answer), { ok: true, violations: [] });
  t.deepEqual(await counts(), before);
  await submit(miner);
  t.is((await check(miner, {})).status, 200);
});

test('missing parts are told in the array form', async (t) => {
  const miner = await service.miner('parts');
  for (const path of [submitPath, checkPath]) {
    const send = (part: SubmissionPart) =>
      miner.request('POST', path, { body: submissionForm(part) });
    t.is(await invalid(t, await send({ file: agentCode })), 'body.agent_name');
    t.is(await invalid(t, await send({ name: 'a' })), 'body.file');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of [
      '',
      '--x--\r\n',
      '--y\r\n',
      `--x\r\n${'Content-Disposition: form-data; name="file"; filename="a"\r\n\r\nx = 1'}`,
    ]) {
      const loc = await invalid(t, await miner.request('POST', path, { body, headers }));
      t.regex(loc, /^body/);
    }
    const noBoundary = { 'content-type': 'multipart/form-data' };
    const bare = await miner.request('POST', path, { body: 'x', headers: noBoundary });
    await refused(t, bare, '415 UNSUPPORTED_MEDIA_TYPE');
  }
});

test('a body of another kind is an unsupported one', async (t) => {
  const miner = await service.miner('kinds');
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    for (const path of [submitPath, checkPath]) {
      const headers = { 'content-type': type };
      const answer = await miner.request('POST', path, { body: '{}', headers });
      await refused(t, answer, '415 UNSUPPORTED_MEDIA_TYPE');
    }
  }
});

test('an Idempotency-Key on a submission stands for one submission', async (t) => {
  const miner = await service.miner('keyed');
  const headers = { 'idempotency-key': randomUUID() };

  const first = await shaped(t, submission, await sendSubmission(miner, {}, headers));

  t.deepEqual(await shaped(t, submission, await sendSubmission(miner, {}, headers)), first);
  const other = { file: `${agentCode}# other\n` };
  await refused(t, await sendSubmission(miner, other, headers), '409 IDEMPOTENCY_CONFLICT');
  await refused(t, await sendSubmission(miner, { name: 'b' }, headers), '409 IDEMPOTENCY_CONFLICT');
  const stranger = await service.miner('keyed stranger');
  t.is((await sendSubmission(stranger, {}, headers)).status, 200, 'keys are their owner’s');
});

test('a key that was used a day ago, or longer, stands for another submission', async (t) => {
  const miner = await service.miner('keyed for days');
  const headers = { 'idempotency-key': randomUUID() };
  const send = async () => await shaped(t, submission, await sendSubmission(miner, {}, headers));
  const first = await send();
  await passDay(miner);

  const [second, beside] = await Promise.all([send(), send()]);

  t.not(second.agent_version_id, first.agent_version_id);
  t.deepEqual(beside, second, 'at once they are one');
  t.deepEqual(await send(), second);
  const other = { file: `${agentCode}# other\n` };
  await refused(t, await sendSubmission(miner, other, headers), '409 IDEMPOTENCY_CONFLICT');
  await passDay(miner);
  // After a week nothing tells of the key any more.
  await service.sql`delete from rt.inbox where ${ofMiner(miner)}`;
  const third = await send();
  t.deepEqual(await send(), third);
  const versions = await service.sql<{ id: string }[]>`
    select v.agent_version_id as id
    from agent_version v join work_item w using (agent_version_id)
    where v.miner_hotkey = ${miner.hotkey} order by v.version_number`;
  t.deepEqual(
    versions.map(({ id }) => id),
    [first, second, third].map((each) => each.agent_version_id),
  );
});

const ofMiner = ({ hotkey }: TestKey) => service.sql`
  consumer = 'cmd' and reply -> 'body' ->> 'agentVersionId' in (
    select agent_version_id::text from agent_version where miner_hotkey = ${hotkey})`;

/** For the miner's submissions so far, and a bit more. */
async function passDay(miner: TestKey): Promise<void> {
  await service.sql`update rt.inbox set at = at - interval '25 hours' where ${ofMiner(miner)}`;
  await service.sql`
    update agent_version set submitted_at = submitted_at - interval '25 hours'
    where miner_hotkey = ${miner.hotkey}`;
  await service.sql`update miner set next_allowed_at = null where hotkey = ${miner.hotkey}`;
}

test('too many refused files within an hour are too many, under any key', async (t) => {
  const miner = await service.miner('insisting');
  const headers = { 'idempotency-key': randomUUID() };
  for (let count = 0; count < rejectionsMax; count++) {
    const file = count % 2 === 0 ? 'def (' : 'eval("1")\n';
    const answer = await sendSubmission(miner, { file }, headers);
    t.true([400, 422].includes(answer.status));
  }

  const answer = await sendSubmission(miner, {}, headers);

  const retryAfter = Number(answer.headers.get('retry-after'));
  await refused(t, answer, '429 RATE_LIMITED');
  t.true(retryAfter > 3500 && retryAfter <= 3600);
});

test('a key gives its first answer beyond the limit of refused files, and only the key that has one', async (t) => {
  const miner = await service.miner('insisting later');
  const headers = { 'idempotency-key': randomUUID() };
  const first = await shaped(t, submission, await sendSubmission(miner, {}, headers));
  await service.sql`update miner set next_allowed_at = null where hotkey = ${miner.hotkey}`;
  for (let count = 0; count < rejectionsMax; count++) {
    t.is((await sendSubmission(miner, { file: `def (${count}` })).status, 400);
  }

  t.deepEqual(await shaped(t, submission, await sendSubmission(miner, {}, headers)), first);

  const other = { file: 'def (' };
  await refused(t, await sendSubmission(miner, other, headers), '409 IDEMPOTENCY_CONFLICT');
  const invented = { 'idempotency-key': randomUUID() };
  await refused(t, await sendSubmission(miner, other, invented), '429 RATE_LIMITED');
  const stranger = await service.miner('insisting with another key');
  for (let count = 0; count < rejectionsMax; count++) {
    t.is((await sendSubmission(stranger, { file: `def (${count}` })).status, 400);
  }
  await refused(t, await sendSubmission(stranger, {}, headers), '429 RATE_LIMITED');
});

test.serial('a key gives its first answer while there is no active suite', async (t) => {
  const miner = await service.miner('between suites');
  const headers = { 'idempotency-key': randomUUID() };
  const first = await shaped(t, submission, await sendSubmission(miner, {}, headers));
  const active = await service.sql<{ id: number }[]>`
    update suite set is_active = false where is_active returning suite_id as id`;
  try {
    t.deepEqual(await shaped(t, submission, await sendSubmission(miner, {}, headers)), first);
    await refused(t, await sendSubmission(miner), '503 NO_ACTIVE_SUITE');
    const invented = { 'idempotency-key': randomUUID() };
    await refused(t, await sendSubmission(miner, {}, invented), '503 NO_ACTIVE_SUITE');
  } finally {
    await service.sql`update suite set is_active = true where suite_id = ${active[0]?.id ?? 0}`;
  }
});

test('of many bad files at once no more are looked into than one after the other', async (t) => {
  const miner = await service.miner('bursting');
  const files = Array.from({ length: rejectionsMax + 8 }, (_, at) => `def (${at}`);

  const answers = await Promise.all(files.map((file) => sendSubmission(miner, { file })));

  const statuses = answers.map(({ status }) => status).sort();
  t.deepEqual(statuses, [...Array(rejectionsMax).fill(400), ...Array(8).fill(429)]);
  const rows = await service.sql`
    select from rejected_submission where hotkey = ${miner.hotkey}`;
  t.is(rows.length, rejectionsMax);
});

test.serial(
  'what comes while a file of its hotkey is taken in meets the cooldown of that',
  async (t) => {
    const miner = await service.miner('overtaking');
    await submit(miner);
    await service.sql`update miner set next_allowed_at = null where hotkey = ${miner.hotkey}`;
    const fence = await service.sql.reserve();
    await fence`begin`;
    await fence`select from miner where hotkey = ${miner.hotkey} for update`;
    const first = submit(miner);
    await until(async () => (await waitingCommits()) > 0);

    const second = sendSubmission(miner, { file: 'def (' });
    // Somebody else's, which is begun after it, has been through all checks by now.
    t.is((await check(await service.miner('beside'), {})).status, 200);
    await fence`commit`;
    fence.release();

    await first;
    await refused(t, await second, '429 COOLDOWN_ACTIVE');
  },
);

async function waitingCommits(): Promise<number> {
  const rows = await service.sql`
    select from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%rt.commit%' and datname = current_database()`;
  return rows.length;
}

test('a miner sees their own agents with their latest versions', async (t) => {
  const miner = await service.miner('listing');
  const nothing = await shaped(t, minerAgents, unkept(t, await miner.get('/v1/miner/agents')));
  t.deepEqual(nothing, {
    agents: [],
    can_submit: true,
    next_allowed_at: null,
    racing_agent_version_id: null,
    racing_agent_id: null,
  });
  const first = await submit(miner, { name: 'one' });
  await service.sql`update miner set next_allowed_at = null where hotkey = ${miner.hotkey}`;
  const second = await submit(miner, { name: 'one', file: `${agentCode}# better\n` });

  const listed = await shaped(t, minerAgents, await miner.get('/v1/miner/agents'));

  t.is(second.agent_id, first.agent_id, 'the same name is the next version');
  t.deepEqual([listed.can_submit, listed.next_allowed_at], [false, second.next_allowed_at]);
  t.deepEqual(
    listed.agents.map(({ agent_name, miner_hotkey, latest_version: latest }) => [
      ...[agent_name, miner_hotkey, latest.agent_version_id, latest.version_number],
      ...[latest.state, latest.is_pinnable, latest.pin_disabled_reason],
    ]),
    [['one', miner.hotkey, second.agent_version_id, 2, 'QUEUED', false, 'not_eligible']],
  );
  const path = `/v1/miner/agents/${first.agent_id}/versions`;
  const versions = await shaped(t, minerVersions, unkept(t, await miner.get(path)));
  t.deepEqual(
    versions.map((version) => [version.version_number, version.agent_version_id]),
    [
      [2, second.agent_version_id],
      [1, first.agent_version_id],
    ],
  );
  const stranger = await service.miner('listing stranger');
  await refused(t, await stranger.get(path), '404 AGENT_NOT_FOUND');
  t.is((await okBody<{ agents: [] }>(await stranger.get('/v1/miner/agents'))).agents.length, 0);
  await refused(
    t,
    await miner.get(`/v1/miner/agents/${randomUUID()}/versions`),
    '404 AGENT_NOT_FOUND',
  );
  t.is(await invalid(t, await miner.get('/v1/miner/agents/1/versions')), 'path.agent_id');
  const validator = await service.validator('listing validator');
  await refused(t, await validator.get(path), '401 WRONG_ROLE');
});
