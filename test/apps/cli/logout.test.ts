import test from 'ava';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import { logout } from '../../../apps/cli/commands/logout.ts';
import type { Desk } from '../../../apps/cli/desk.ts';
import { failureOf } from '../../../apps/cli/failure.ts';

test('whose sign-out was not heard is told that the session may live on', async (t) => {
  const forgotten: string[] = [];
  const desk = {
    baseUrl: 'http://a.example',
    sessions: {
      of: async () => ({ session_token: 'x' }),
      forget: async (url: string) => void forgotten.push(url),
    },
    client: {
      postAuthLogout: async () => {
        throw new Unanswered('POST http://a.example/v1/auth/logout: the connection failed');
      },
    },
  } as unknown as Desk;
  const asked = {} as Parameters<typeof logout.run>[0];
  const error = await t.throwsAsync(async () => await logout.run(asked, desk));
  const { exitCode, message, advice = '' } = failureOf(error);
  t.is(exitCode, 5);
  t.is(message, 'http://a.example does not answer');
  t.regex(advice, /This machine has forgotten the session; http:\/\/a\.example may not have/);
  t.deepEqual(forgotten, ['http://a.example']);
});

/** A sign-out that the service refuses so. */
async function refusedWith(status: number, error_code: string) {
  const [lines, forgotten]: [string[], string[]] = [[], []];
  const body = { error_code, detail: 'No.' };
  const refusal = new Refusal('POST /v1/auth/logout', { status, headers: new Headers() }, body);
  const desk = {
    baseUrl: 'http://a.example',
    sessions: {
      of: async () => ({ session_token: 'x' }),
      forget: async (url: string) => void forgotten.push(url),
    },
    client: { postAuthLogout: () => Promise.reject(refusal) },
    out: { line: (text: string) => lines.push(text) },
  } as unknown as Desk;
  const run = async () => await logout.run({} as Parameters<typeof logout.run>[0], desk);
  return { run, lines, forgotten };
}

test('whose session was over already is signed out all the same', async (t) => {
  const { run, lines, forgotten } = await refusedWith(401, 'INVALID_SESSION');
  t.is(await run(), 0);
  t.deepEqual(lines, ['Signed out at http://a.example.']);
  t.deepEqual(forgotten, ['http://a.example']);
});

test('whose sign-out was refused for another reason is told that the session may live on', async (t) => {
  const { run, forgotten } = await refusedWith(503, 'OVERLOADED');
  const { exitCode, advice = '' } = failureOf(await t.throwsAsync(run));
  t.is(exitCode, 5);
  t.regex(advice, /This machine has forgotten the session/);
  t.deepEqual(forgotten, ['http://a.example']);
});
