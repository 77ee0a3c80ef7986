import test from 'ava';
import { adviceByCode } from '../../../apps/cli/advice.ts';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import { failureOf } from '../../../apps/cli/failure.ts';
import { repeatable, visibleBy } from '../../../apps/cli/repeatable.ts';
import { statusByCode } from '../../../apps/edge/faults.ts';
import type { FaultCode } from '../../../machines/fault.ts';
import { operatorFaultTexts } from '../../../machines/operator-fault-texts.ts';
import { refusal, type Said } from '../../../machines/refusal.ts';

/** As the service answers it. */
function answered(code: FaultCode, said?: Said, retryAfter?: string): Refusal {
  const { message: detail } = refusal(code, said);
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  const answer = { status: statusByCode[code], headers };
  return new Refusal('POST /v1/x', answer, { detail, error_code: code });
}

function told(...of: Parameters<typeof answered>): string[] {
  const { message, advice } = failureOf(answered(...of));
  return [message, ...(advice === undefined ? [] : [advice])];
}

for (const code of Object.keys(adviceByCode) as (keyof typeof adviceByCode)[]) {
  test(`what to do about ${code} is said once, as it is done on the line`, (t) => {
    const [message = '', advice] = told(code as FaultCode);

    t.is(advice, adviceByCode[code]);
    t.false(/\b(GET|POST|PUT) \/v1\//.test(message), message);
    t.is(message.match(/[.!?…](?= |$)/g)?.length ?? 1, 1, message);
  });
}

test('whatever operators ask for by its id, the line says which command lists it', (t) => {
  const ofOperators = Object.entries(operatorFaultTexts).filter(([, { next }]) =>
    / \/v1\//.test(next),
  );
  t.true(ofOperators.length > 4);
  for (const [code] of ofOperators) t.true(Object.hasOwn(adviceByCode, code), code);
});

test('a refusal that asks for a pause says how long, once', (t) => {
  t.deepEqual(told('OVERLOADED', {}, '3'), ['Too much is asked at once.', 'Try again in 3 s.']);
  t.deepEqual(told('RATE_LIMITED', {}, '90'), ['Too many requests.', 'Try again in 1 min 30 s.']);
});

test('what only the service knows to do is not told over by what the line knows', (t) => {
  const next = 'Name one of providera, providerb.';
  t.deepEqual(told('UNKNOWN_PROVIDER', { says: 'There is no provider x.', next }), [
    `There is no provider x. ${next}`,
  ]);
  const ofOperators = { says: 'This is no operator token.', next: 'Send another one.' };
  t.deepEqual(told('INVALID_SESSION', ofOperators), [
    'This is no operator token. Send another one.',
  ]);
  t.deepEqual(told('RATE_LIMITED', { next: 'Close one of them first.' }, '5'), [
    'Too many requests. Close one of them first.',
    'Try again in 5 s.',
  ]);
});

test('a route that the service names gives way to the command', (t) => {
  const next = 'Take the id from GET /v1/miner/agents/{agent_id}/versions.';
  t.deepEqual(told('AGENT_VERSION_NOT_FOUND', { says: 'None of yours.', next }), [
    'None of yours.',
    'See the ids of your versions with: paddock agents',
  ]);
});

test('where the line knows nothing better, the service has the word', (t) => {
  t.deepEqual(told('RUN_STILL_LIVE'), [
    'The run has not ended yet. Wait for its end, or reclaim it first.',
  ]);
  t.deepEqual(told('INTERNAL_ERROR'), [
    'Something went wrong on our side. Send it once more, then tell the operators its X-Request-Id.',
  ]);
});

test('an answer of something in between is tried again', (t) => {
  const refused = new Refusal('GET /', { status: 502, headers: new Headers() }, undefined);
  t.like(failureOf(refused), { message: '502 HTTP_502', advice: 'Try again in a moment.' });
});

test('what a proxy says of an order leaves open what became of it', async (t) => {
  for (const status of [502, 503, 504]) {
    const proxys = new Refusal('POST /', { status, headers: new Headers() }, undefined);
    const error = await t.throwsAsync(() => repeatable(Promise.reject(proxys), 'key'));
    t.regex(error?.message ?? '', /; whether it took effect is not known$/);
    t.regex(failureOf(error).advice ?? '', /^Try again in a moment\.\nRepeated with .+ key /);
  }
  const shed = answered('OVERLOADED', {}, '3');
  t.is(await t.throwsAsync(() => repeatable(Promise.reject(shed), 'key')), shed);
});

test('an order whose outcome is not known says so once', async (t) => {
  const lost = Promise.reject(answered('OUTCOME_UNKNOWN'));
  const { message } = await t.throwsAsync(() => repeatable(lost, 'key'));
  t.is(message, 'The outcome is not known yet.');

  const broken = Promise.reject(answered('INTERNAL_ERROR'));
  const error = await t.throwsAsync(() => repeatable(broken, 'key'));
  t.regex(error.message, /X-Request-Id; whether it took effect is not known$/);
});

test('an open order keeps what programs go by, and the key under which it is repeated', async (t) => {
  const headers = new Headers({ 'x-request-id': 'ab12', 'retry-after': '3' });
  for (const [status, code] of [
    [503, 'OUTCOME_UNKNOWN'],
    [500, 'INTERNAL_ERROR'],
  ] as const) {
    const answer = { detail: 'Said of it.', error_code: code };
    const lost = new Refusal('POST /v1/x', { status, headers }, answer);
    const kept = { code, status, requestId: 'ab12', retryAfterSeconds: 3, answer, exitCode: 5 };

    const repeated = await t.throwsAsync(() => repeatable(Promise.reject(lost), 'key'));
    t.like(failureOf(repeated), { ...kept, idempotencyKey: 'key' });
    const visible = failureOf(
      await t.throwsAsync(() => visibleBy('paddock credentials', Promise.reject(lost))),
    );
    t.like(visible, kept);
    t.is(visible.idempotencyKey, undefined);
  }
});

test('where an order of operators is looked for, the audit log has it', async (t) => {
  const adviceOf = async (code: FaultCode) => {
    const order = Promise.reject(answered(code));
    const open = await t.throwsAsync(() => repeatable(order, 'key', 'paddock operator audit-log'));
    return failureOf(open).advice;
  };
  const look = 'Look with paddock operator audit-log whether it took effect.';
  const repeat = 'Repeated with --idempotency-key key it is carried out once and no more.';
  t.is(await adviceOf('OUTCOME_UNKNOWN'), `${look}\n${repeat}`);
  t.is(await adviceOf('INTERNAL_ERROR'), `${look}\n${repeat}`);
});

test('an order that reached nobody has done nothing, unless an earlier try may have', async (t) => {
  const refused = (code: string) => {
    const cause = Object.assign(new TypeError('fetch failed'), { cause: { code } });
    return new Unanswered('POST http://a.example/v1/x: the connection failed', { cause });
  };
  const saidOf = async (error: Unanswered) =>
    (await t.throwsAsync(() => repeatable(Promise.reject(error), 'key'))).message;

  t.notRegex(await saidOf(refused('ECONNREFUSED')), /not known/);
  t.regex(await saidOf(refused('ECONNRESET')), /whether it took effect is not known/);
  const repeated = refused('ECONNREFUSED');
  repeated.isAfterLost = true;
  t.regex(await saidOf(repeated), /whether it took effect is not known/);
});

test('of a path the missing part is named', (t) => {
  const at = (path: string) => {
    const error = Object.assign(new Error('x'), { syscall: 'open', code: 'ENOENT', path });
    return failureOf(error);
  };
  t.like(at('/nobody.py'), { message: '/nobody.py: there is no such file', exitCode: 4 });
  t.like(at('/nowhere/a.py'), { message: '/nowhere/a.py: there is no such folder' });
});

test('a service that is slow or broke off is not looked for elsewhere', (t) => {
  const adviceOf = (cause: object) => {
    const error = new Unanswered('GET http://a.example/v1/x: nothing', { cause });
    return failureOf(error).advice;
  };
  const broken = (code: string) => adviceOf(Object.assign(new Error('x'), { cause: { code } }));

  t.regex(adviceOf(new DOMException('over', 'TimeoutError')) ?? '', /^It may be busy or starting/);
  t.regex(broken('ECONNRESET') ?? '', /^It may be busy or starting/);
  t.regex(broken('ECONNREFUSED') ?? '', /^Check the address/);
  t.regex(broken('ENOTFOUND') ?? '', /^Check the address/);
});
