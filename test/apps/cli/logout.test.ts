import test from 'ava';
import { Unanswered } from '../../../apps/cli/client/refusal.ts';
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
