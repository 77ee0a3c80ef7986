import test from 'ava';
import { TraceStore } from '../../../infra/traces/trace-store.ts';
import { idOf, span } from './spans.ts';

const roomy = { tracesMax: 100, bytesMax: 1_000_000, spansPerTraceMax: 50 };
const search = { order: 'newest', limit: 100, offset: 0 } as const;

const namesOf = (store: TraceStore) => store.search(search).traces.map(({ root }) => root.name);

test('spans of several processes are one trace, whatever comes first', (t) => {
  const store = new TraceStore(roomy);
  const traceId = idOf(1);
  const root = span({ traceId, name: 'POST /v1/miner/submit', spanId: idOf('root', 16) });
  const commit = span({
    traceId,
    name: 'commit',
    process: 'coordinator-1',
    parentSpanId: root.spanId,
  });
  store.add([commit]);
  store.add([root]);

  const found = store.find(traceId);

  t.is(found?.root.name, 'POST /v1/miner/submit');
  t.deepEqual(
    found?.spans.map(({ process }) => process),
    ['coordinator-1', 'edge-1'],
  );
  t.is(store.search(search).total, 1);
});

test('what was done for several is shown with each of them', (t) => {
  const store = new TraceStore(roomy);
  const [first, second] = [idOf(1), idOf(2)];
  const shared = { traceId: first, spanId: idOf('commit', 16), name: 'commit' };
  store.add([span({ ...shared, linkedTraceIds: [second] })]);
  t.is(store.find(second), undefined, 'nobody has told of it itself');
  t.is(store.search(search).total, 1);
  store.add([span({ traceId: second })]);

  t.deepEqual(
    store.find(second)?.linked.map(({ name }) => name),
    ['commit'],
  );
});

test('what only links tell of takes no trace’s place', (t) => {
  const store = new TraceStore({ ...roomy, tracesMax: 3 });
  for (let at = 0; at < 3; at++) store.add([span({ traceId: idOf(at), startMs: at })]);
  const linkedTraceIds = Array.from({ length: 50 }, (_, at) => idOf(`phantom ${at}`));
  store.add([span({ traceId: idOf(2), spanId: idOf('commit', 16), linkedTraceIds })]);

  t.is(store.search(search).total, 3);
  store.add([span({ traceId: idOf('phantom 49') })]);
  t.is(store.find(idOf('phantom 49'))?.linked.length, 1, 'the last of them are awaited');
  store.add([span({ traceId: idOf('phantom 0') })]);
  t.is(store.find(idOf('phantom 0'))?.linked.length, 0, 'and no more than so many');
});

test('a span of several traces is charged once, and what only links tell of is forgotten first', (t) => {
  const text = 'x'.repeat(300);
  const traces = Array.from({ length: 10 }, (_, at) =>
    span({ traceId: idOf(at), attributes: { text } }),
  );
  const linkedTraceIds = traces.map(({ traceId }) => traceId);
  const shared = { traceId: idOf('batch'), attributes: { text: text.repeat(10) }, linkedTraceIds };
  const all = [...traces, span({ ...shared, spanId: idOf('commit', 16) })];
  const bytesMax = JSON.stringify(all).length;
  const store = new TraceStore({ ...roomy, bytesMax });
  store.add(all);
  t.is(store.search(search).total, 11);

  // One more of the commonest kind is too much, and with the last that shows a span its bytes go too.
  const unknown = { attributes: { text }, linkedTraceIds: [idOf('phantom')] };
  for (let at = 0; at < 100; at++) {
    store.add([span({ ...unknown, traceId: idOf(`later ${at}`) })]);
    t.true(store.search(search).total >= 10, `after ${at}`);
  }
  store.add([span({ traceId: idOf('phantom'), spanId: idOf('own', 16) })]);
  t.is(store.find(idOf('phantom'))?.linked.length, 0);
});

test('what an exporter sends again is kept once', (t) => {
  const store = new TraceStore({ ...roomy, spansPerTraceMax: 2 });
  const linkedTraceIds = [idOf(2)];
  const sent = () => [
    span({ traceId: idOf(2), spanId: idOf('other', 16) }),
    span({ traceId: idOf(1), linkedTraceIds }),
  ];
  store.add(sent());
  store.add(sent());

  const [one, two] = [store.find(idOf(1)), store.find(idOf(2))];
  t.deepEqual([one?.spans.length, one?.linked.length, one?.droppedSpans], [1, 0, 0]);
  t.deepEqual([two?.spans.length, two?.linked.length, two?.droppedSpans], [1, 1, 0]);
});

test('a caller’s own span is no span of ours: the root is what it led to', (t) => {
  const store = new TraceStore(roomy);
  const root = span({ traceId: idOf(1), parentSpanId: idOf('elsewhere', 16) });
  store.add([root]);

  t.is(store.find(idOf(1))?.root, root);
});

test('beyond its bounds the commonest kind of trace is forgotten, the oldest first', (t) => {
  const store = new TraceStore({ ...roomy, tracesMax: 5 });
  store.add([span({ traceId: idOf('submit'), name: 'POST /v1/miner/submit', startMs: 1 })]);
  const failed = { attributes: { 'http.response.status_code': '503' } };
  store.add([span({ traceId: idOf('failed'), startMs: 2, ...failed })]);
  const empty = { attributes: { 'http.response.status_code': '204' } };
  store.add([span({ traceId: idOf('empty'), startMs: 3, ...empty })]);
  for (let at = 0; at < 50; at++) store.add([span({ traceId: idOf(at), startMs: 10 + at })]);

  t.is(store.search(search).total, 5);
  t.true(namesOf(store).includes('POST /v1/miner/submit'));
  t.is(store.search({ ...search, outcome: 'failed' }).total, 1);
  t.not(store.find(idOf('empty')), undefined);
  t.not(store.find(idOf(49)), undefined);
  t.is(store.find(idOf(0)), undefined);
});

test('memory is bounded by bytes, and one trace by its spans', (t) => {
  const byBytes = new TraceStore({ ...roomy, bytesMax: 20_000 });
  const text = 'x'.repeat(300);
  for (let at = 0; at < 500; at++) {
    byBytes.add([span({ traceId: idOf(at), attributes: { text } })]);
  }
  const kept = byBytes.search({ ...search, limit: 500 }).traces;
  const bytes = kept.flatMap(({ spans }) => spans).map((each) => JSON.stringify(each).length);
  t.true(bytes.reduce((sum, size) => sum + size, 0) <= 20_000);
  t.true(kept.length > 20);

  const bySpans = new TraceStore({ ...roomy, spansPerTraceMax: 3 });
  const spans = Array.from({ length: 10 }, (_, at) =>
    span({ traceId: idOf(1), spanId: idOf(at, 16) }),
  );
  bySpans.add(spans);
  t.is(bySpans.find(idOf(1))?.spans.length, 3);
  t.is(bySpans.find(idOf(1))?.droppedSpans, 7);
});

test('a failure is one of ours, a refusal is an answer', (t) => {
  const outcome = (...spans: Parameters<typeof span>[0][]) => {
    const store = new TraceStore(roomy);
    store.add(spans.map(span));
    return store.find(idOf(1))?.outcome;
  };
  const traceId = idOf(1);
  const status = (text: string) => ({ traceId, attributes: { 'http.response.status_code': text } });

  t.is(outcome(status('200')), 'done');
  t.is(outcome(status('409')), 'refused');
  t.is(outcome(status('503')), 'failed');
  const within = { traceId, spanId: idOf(2, 16), parentSpanId: idOf(1, 16) };
  t.is(outcome(status('200'), { ...within, isError: true }), 'failed');
  const tried = { ...within, attributes: { 'paddock.fault': 'OWNER_UNAVAILABLE' } };
  t.is(outcome(status('200'), tried), 'done', 'it was tried again');
  t.is(outcome({ traceId, attributes: { 'paddock.fault': 'AT_CAPACITY' } }), 'refused');
});

test('traces are found by route, outcome, and any text of theirs; the slowest can come first', (t) => {
  const store = new TraceStore(roomy);
  const run = '0c9f2a31-0000-4000-8000-000000000001';
  store.add([
    span({ traceId: idOf(1), name: 'POST /v1/validator/work/claim', startMs: 1, endMs: 500 }),
    span({
      ...{ traceId: idOf(1), spanId: idOf(2, 16), parentSpanId: idOf(1, 16) },
      ...{ name: 'commit', attributes: { keys: `evaluation-run/${run}` } },
    }),
    span({ traceId: idOf(2), startMs: 2, endMs: 3 }),
    span({ traceId: idOf(3), startMs: 3, endMs: 90 }),
  ]);
  const ids = (more: object) =>
    store.search({ ...search, ...more }).traces.map(({ traceId }) => traceId);

  t.deepEqual(ids({}), [idOf(3), idOf(2), idOf(1)]);
  t.deepEqual(ids({ order: 'slowest' }), [idOf(1), idOf(3), idOf(2)]);
  t.deepEqual(ids({ route: 'WORK/claim' }), [idOf(1)]);
  t.deepEqual(ids({ text: run }), [idOf(1)]);
  t.deepEqual(ids({ text: idOf(2) }), [idOf(2)]);
  t.deepEqual(ids({ outcome: 'failed' }), []);
  t.deepEqual(ids({ limit: 1, offset: 1 }), [idOf(2)]);
});
