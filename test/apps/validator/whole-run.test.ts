/** Runs from their claim to what becomes of them, against a service that is a stub. */
import test from 'ava';
import { say } from './stub-service.ts';
import { openStubShop } from './stub-shop.ts';

test('an agent that nests its arguments without end fails by its own fault', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 5 });
  const many = (sign: string) => `$(head -c 50000 /dev/zero | tr '\\0' '${sign}')`;
  const nested = `"${many('[')}" "${many(']')}"`;

  const { completion } = await play(
    `printf '{"call":"x","arguments":{"a":%s%s}}\\n' ${nested} >&3; read -r answer <&3`,
  );

  t.deepEqual(stub.askedFor('/release'), []);
  t.like(completion, { terminal_status: 'FAILED', failure_class: 'AGENT' });
  t.regex(String(completion?.['failure_reason']), /^protocol: /);
});

test('the code of an agent is fetched while its address lives, whatever the pack takes', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });
  const isFetched = () => stub.askedFor('/archive').length > 0;
  stub.answers.set('/code', (response) => response.writeHead(isFetched() ? 403 : 200).end('code'));

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS', validator_score: 0 });
});

for (const [what, extra, status] of [
  ['a provider that fails', { provider_failed: true }, 'FAILED'],
  ['a model that nobody serves', {}, 'SUCCESS'],
] as const) {
  test(`a run whose agent swallows the errors of ${what} is a ${status}`, async (t) => {
    const { stub, play } = await openStubShop(t, { taskCount: 5, token: 'secret' });
    const body = { detail: 'No.', error_code: 'PROVIDER_UNAVAILABLE', ...extra };
    stub.answers.set('/chat/completions', (response) => say(response, 503, body));
    const asked = '{"messages":[{"role":"user","content":"?"}],"model":"m","max_tokens":9}';

    const { completion } = await play(
      `echo '{"call":"ask_model","arguments":${asked}}' >&3; read -r answer <&3`,
    );

    t.is(stub.askedFor('/chat/completions').length, 5);
    t.is(completion?.['terminal_status'], status);
    t.is(completion?.['failure_class'], status === 'FAILED' ? 'PROVIDER' : undefined);
  });
}
