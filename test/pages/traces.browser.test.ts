/** The operator's page of traces in a real Chromium, before a service that keeps some and one that does not. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTraceServer, type TraceServer } from '../../infra/traces/trace-server.ts';
import { otlpBody, otlpSpan } from '../infra/traces/spans.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { barriers, complaintsOf, keepShot, openBrowser } from './browser.ts';
import { showsItsStates } from './panels.ts';
import { chooseView, signInAsOperator } from './signed-in.ts';

let traces: TraceServer;
let service: TestService;
let empty: TestService;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  traces = await startTraceServer();
  [service, empty, browser] = await Promise.all([
    startTestService({ env: { TRACES_URL: traces.url } }),
    startTestService(),
    openBrowser(),
  ]);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await Promise.all([service?.stop(), empty?.stop()]);
  await traces?.stop();
});

const runId = '0c9f2a31-5d1e-4c53-9f0a-7b1de4a7c001';

/** A claim's way through three steps in two processes, and a read that failed. */
async function keepTraces(): Promise<void> {
  const at = (ms: number) => String(1_790_000_000_000_000_000n + BigInt(ms * 1_000_000));
  const step = (
    id: string,
    parent: string,
    [from, to]: readonly [number, number],
    more: object,
  ) => ({
    ...otlpSpan({ startTimeUnixNano: at(from), endTimeUnixNano: at(to), ...more }),
    ...{ spanId: id.repeat(16), parentSpanId: parent.repeat(16) },
  });
  const batch = [{ key: 'keys', value: { stringValue: `evaluation-run/${runId}` } }];
  const failed = [{ key: 'http.response.status_code', value: { intValue: 503 } }];
  const read = { name: 'GET /v1/public/top', attributes: failed, traceId: 'b'.repeat(32) };
  const bodies = [
    otlpBody('edge-1', [
      step('1', '', [0, 14], { name: 'POST /v1/validator/work/claim' }),
      step('2', '1', [1, 13], { name: 'cmd claim-run', kind: 3, attributes: [] }),
      step('5', '', [100, 101], read),
    ]),
    otlpBody('coordinator-1', [
      step('3', '2', [2, 3], { name: 'mailbox wait', kind: 1, attributes: [] }),
      step('4', '2', [3, 11], { name: 'commit', kind: 1, attributes: batch, status: { code: 2 } }),
    ]),
  ];
  for (const body of bodies) {
    const post = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${traces.url}/v1/traces`, post);
    if (!answer.ok) throw new Error(await answer.text());
  }
}

async function openTraces(t: ExecutionContext, of: TestService) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const complaints = complaintsOf(page);
  await signInAsOperator(page, of);
  await chooseView(page, 'Traces');
  return { page, complaints };
}

test.serial(
  'an operator finds a run’s trace and sees its way from process to process',
  async (t) => {
    await keepTraces();
    const { page, complaints } = await openTraces(t, service);
    await page.locator('tbody tr >> nth=1').waitFor();
    t.deepEqual(await barriers(page), []);
    await keepShot(page, 'light-operator-traces');

    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByLabel('Id of a run or trace, or a fault').fill(runId);
    await page.locator('tbody tr >> nth=1').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'POST /v1/validator/work/claim' }).click();
    const trace = page.locator('section.panel');
    await trace.locator('tbody tr >> nth=3').waitFor();
    t.is(await page.evaluate('document.activeElement.id'), 'trace', 'what is new is read out');
    t.deepEqual(await trace.locator('tbody th').allTextContents(), [
      'Level 1: POST /v1/validator/work/claim',
      'Level 2: cmd claim-run',
      'Level 3: mailbox wait',
      'Level 3: commiterror',
    ]);
    t.deepEqual(await trace.locator('tbody tr td:nth-child(5)').allTextContents(), [
      ...['14 ms', '12 ms', '1.00 ms', '8.00 ms'],
    ]);
    await trace.getByText('1 fact').click();
    await trace.getByText(`evaluation-run/${runId}`).waitFor();
    t.deepEqual(await barriers(page), []);
    await keepShot(page, 'light-operator-trace');
    t.deepEqual(complaints, []);
  },
);

test.serial('a trace says that it loads or failed, and recovers', async (t) => {
  const { page } = await openTraces(t, service);
  await showsItsStates(t, page, {
    ...{ what: 'the trace', api: '/v1/admin/traces/*' },
    open: () => page.getByRole('button', { name: 'GET /v1/public/top' }).click(),
  });
});

test.serial('where no traces are kept the page says how to have them', async (t) => {
  const { page, complaints } = await openTraces(t, empty);
  const told = (await page.locator('.notice').first().textContent()) ?? '';
  t.regex(told, /No traces are kept here.*OTEL_EXPORTER_OTLP_ENDPOINT/);
  t.deepEqual(await barriers(page), []);
  await keepShot(page, 'light-operator-no-traces');
  t.deepEqual(complaints, []);
});
