import { type Context, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import test from 'ava';
import { SparingSampler } from '../../../infra/otel/sparing-sampler.ts';

const traceId = 'a'.repeat(32);

const spanContext = (traceFlags: number, isRemote: boolean) => ({
  ...{ traceId, spanId: 'b'.repeat(16), traceFlags, isRemote },
});

const within = (traceFlags: number, isRemote = true): Context =>
  trace.setSpanContext(ROOT_CONTEXT, spanContext(traceFlags, isRemote));

const { NONE, SAMPLED } = TraceFlags;

function sampler(tracesPerSecond = 1000) {
  let nowMs = 0;
  const sampling = new SparingSampler({ tracesPerSecond, monotonicMs: () => nowMs });
  const isSeen = (kind: SpanKind, on: Context, path = '', links: readonly number[] = []) =>
    sampling.shouldSample(
      ...([on, traceId, 'name', kind, path === '' ? {} : { 'url.path': path }] as const),
      links.map((flags) => ({ context: spanContext(flags, true) })),
    ).decision === SamplingDecision.RECORD_AND_SAMPLED;
  return {
    request: (path = '/v1/things', on = ROOT_CONTEXT) => isSeen(SpanKind.SERVER, on, path),
    inner: (on: Context, links: readonly number[] = []) => isSeen(SpanKind.INTERNAL, on, '', links),
    message: (on: Context) => isSeen(SpanKind.SERVER, on),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('so many traces begin in a second and no more, whatever callers ask for', (t) => {
  const { request, pass } = sampler(3);
  const seen = () => Array.from({ length: 10 }, () => request('/v1/things', within(SAMPLED)));

  t.is(seen().filter(Boolean).length, 3);
  pass(999);
  t.is(seen().filter(Boolean).length, 0);
  pass(1);
  t.is(seen().filter(Boolean).length, 3);
});

test('what goes on in a trace is recorded as its beginning is, beyond the bound as well', (t) => {
  const { inner, message, request } = sampler(1);
  t.true(request());
  t.false(request());

  for (const isRemote of [true, false]) {
    t.true(inner(within(SAMPLED, isRemote)));
    t.false(inner(within(NONE, isRemote)));
  }
  t.true(message(within(SAMPLED)), 'from the broker');
  t.false(message(within(NONE)));
});

test('a caller who does not record his trace has none recorded here', (t) => {
  t.false(sampler().request('/v1/things', within(NONE)));
});

test('one heartbeat in twenty is recorded', (t) => {
  const { request } = sampler();
  const path = '/v1/validator/evaluation-runs/x/heartbeat';
  const seen = Array.from({ length: 100 }, () => request(path));

  t.is(seen.filter(Boolean).length, 5);
});

test('work for several is recorded where one of theirs is', (t) => {
  const { inner } = sampler();
  t.true(inner(ROOT_CONTEXT, [NONE, SAMPLED]));
  t.false(inner(ROOT_CONTEXT, [NONE, NONE]));
  t.true(inner(ROOT_CONTEXT), 'work of our own begins a trace');
});
