import test from 'ava';
import { passRefusal } from '../../../apps/edge/inference/pass-refusal.ts';
import type { UpstreamAnswer } from '../../../infra/ports/inference.ts';
import { Fault } from '../../../machines/fault.ts';

const key = { keyId: 'id', accessKey: 'sk-very-secret', expiresAtMs: 0 };

async function passed(
  status: number,
  text: string,
  rest: Partial<UpstreamAnswer> = {},
  accessKey = key.accessKey,
) {
  async function* body() {
    yield Buffer.from(text);
  }
  const about = { contentType: 'application/json', retryAfterSeconds: undefined };
  const answer = { status, ...about, body: body(), ...rest };
  return await passRefusal({ answer, key: { ...key, accessKey } }, 'providera');
}

test('no refusal of a provider tells the key that it was asked with', async (t) => {
  for (const text of [
    '{"error":{"message":"Incorrect API key provided: sk-very-secret."}}',
    'no JSON, but sk-very-secret',
    '["sk-very-secret"]',
  ]) {
    const { body } = await passed(400, text);
    t.false(String(body).includes('very-secret'));
    t.true(String(body).includes('[key]'));
  }
});

test('nor in other spellings of JSON, as a value or a name, or in what is half of it', async (t) => {
  const secret = 'sk/very+"se\\cret';
  const spelt = ['sk\\/very\\u002B\\"se\\\\cret', 'sk/very\\u002b\\u0022se\\u005ccret'];
  for (const word of spelt) {
    for (const text of [
      `{"error":{"message":"no: ${word}."}}`,
      `{"error":{"${word}":1}}`,
      `["${word}"]`,
      `{"error":"${word}",`,
    ]) {
      const { body } = await passed(400, text, {}, secret);
      t.true(String(body).includes('[key]'), `${text} became ${body}`);
      t.notThrows(() => JSON.parse(String(body)));
    }
  }
});

test('what a provider says goes through, and its statuses of note', async (t) => {
  const refusal = await passed(422, '{"error":{"message":"too long"}}');
  t.is(refusal.status, 422);
  t.is(refusal.body, '{"error":{"message":"too long"}}');
  t.deepEqual(refusal.headers, { 'X-Inference-Provider': 'providera' });
  t.is((await passed(451, '{}')).status, 400);
});

test('a 403 is the provider’s in its own words alone: firewalls on the way say it too', async (t) => {
  t.is((await passed(403, '{"error":{"message":"no"}}')).status, 403);
  for (const text of ['<html>Request blocked.</html>', '{"message":"Forbidden"}', '']) {
    const fault = await t.throwsAsync(passed(403, text), { instanceOf: Fault });
    t.is(fault.code, 'PROVIDER_UNAVAILABLE');
    t.deepEqual(fault.extras, {}, 'an agent can bring it about by what it asks');
  }
});

test('its 429 says when to come back', async (t) => {
  t.is((await passed(429, '{}', { retryAfterSeconds: 30 })).headers['Retry-After'], '30');
  t.is((await passed(429, '{}')).headers['Retry-After'], '1');
});

test('a page of any length becomes a line', async (t) => {
  const { body } = await passed(400, '<html>'.repeat(20_000));
  t.deepEqual(JSON.parse(String(body)), { error: { message: '', code: 400 } });
});
