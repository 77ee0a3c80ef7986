import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import { answeredLine } from '../../support/answered-line.ts';

const violation = {
  ...{ rule: 'of-the-service', category: 'IMPORT', severity: 'error' },
  ...{ message: 'Not here.', line: 1, column: 1, snippet: '' },
};
const refused = (status: number, error_code: string) =>
  new Refusal(
    'POST /v1/miner/submit/check',
    { status, headers: new Headers() },
    {
      ...{ error_code, detail: 'No.' },
    },
  );

/** A check of a clean file, or of one with a finding, where the service says `there`. */
async function checked(t: ExecutionContext, code: string, there: unknown, ...more: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-checked-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'agent.py');
  await writeFile(path, code);
  const line = ['check', path, '--entry-point', '', ...more];
  return await answeredLine({ postMinerSubmitCheck: there }, ...line);
}

const clean = 'x = 1\n';
const spoilt = 'x = (1).__class__\n';

test('where the service and this machine differ, the service has the last word', async (t) => {
  const stricter = await checked(t, clean, { violations: [violation] });
  t.is(stricter.code, 1, stricter.error);
  t.regex(stricter.out, /error\[of-the-service\]/);
  const json = await checked(t, clean, { violations: [violation] }, '--json');
  t.is(json.code, 1);
  t.like(JSON.parse(json.out), { ok: false, offline: { findings: [] } });

  const milder = await checked(t, spoilt, { violations: [] });
  t.is(milder.code, 0, milder.out);
  t.notRegex(milder.out, /error\[/);
});

test('a service that cannot say leaves the word to this machine, unless it has to be asked', async (t) => {
  const away = new Unanswered('POST http://a.example/v1/x: the connection failed');
  for (const failure of [away, refused(429, 'RATE_LIMITED'), refused(401, 'INVALID_SESSION')]) {
    const alone = await checked(t, clean, failure);
    t.is(alone.code, 0, alone.error);
    t.regex(alone.out, /as far as this machine can tell; the service was not asked: /);
    t.is((await checked(t, spoilt, failure)).code, 1);
    t.not((await checked(t, clean, failure, '--online')).code, 0);
  }
});

test('a service that refuses to check is no acceptance', async (t) => {
  const { code, out, error } = await checked(t, clean, refused(403, 'WRONG_ROLE'));
  t.is(code, 1);
  t.is(out, '');
  t.regex(error, /^paddock: No\./);
});
