/**
 * `npm run bench:pages`: what an episode of 100 MB costs a page, in a real Chromium. Its own part is the
 * processor time of the page's main thread, and stands beside a loop that reads as many bytes one by one in
 * the same page just before. Ends with code 1 when that part is more than a page may take of a usual machine.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { benchPagesCommand } from '../commands/bench-commands.ts';
import { lineOf } from '../commands/command-line.ts';
import { caller, TestKey } from '../support/edge-client.ts';
import { type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { openBrowser } from './browser.ts';
import { linesTask, longEpisodesEnv, objectTask, playLongEpisodes } from './long-episodes.ts';

/** Of the loop, on a quiet machine: 2 s where the loop takes 0.4 s. */
const ratioMax = 5;

const { rounds } = lineOf(benchPagesCommand);
await using stack = new AsyncDisposableStack();
const world = stack.use(
  await startServiceWorld({ edges: 1, coordinators: 1, env: longEpisodesEnv }),
);
const { pathOf } = await playLongEpisodes(doorOf(world));
const [baseUrl] = world.service.baseUrls;
const browser = stack.use(await openBrowser());

console.log('                loop   first records        all of it           own part');
console.log('                 own   own     by the clock  own  by the clock  to the loop');
const ratios: number[] = [];
for (let round = 0; round < rounds; round++) {
  for (const [form, task] of [
    ['lines', linesTask],
    ['one object', objectTask],
  ] as const) {
    const figures = await openedEpisode(baseUrl + pathOf(task));
    ratios.push(figures.wholeMs / figures.loopMs);
    console.log(lineOfTable(form, figures));
  }
}
const median = ratios.toSorted((left, right) => left - right)[Math.floor(ratios.length / 2)] ?? 0;
const isWithin = median <= ratioMax;
console.log(`\nmedian of the last column ${median.toFixed(2)}, at most ${ratioMax}`);
console.log(isWithin ? 'WITHIN.' : 'MISSED.');
process.exitCode = isWithin ? 0 : 1;

/** What plays the episodes speaks to the service as its tests do. */
function doorOf({ service, operator, sql }: ServiceWorld): Parameters<typeof playLongEpisodes>[0] {
  const call = caller(service.baseUrls[0]);
  const authorization = `Bearer ${service.operatorToken}`;
  const registered = async (role: 'miner' | 'validator', name: string) => {
    const key = new TestKey(name, call);
    const path = `/v1/admin/chain/registrations/${key.hotkey}`;
    await operator.send('PUT', path, { role, stake: 1000 });
    return key;
  };
  return {
    sql,
    operator: (method, path, { headers = {}, ...options } = {}) =>
      call(method, path, { ...options, headers: { ...headers, authorization } }),
    miner: (name) => registered('miner', name),
    validator: (name) => registered('validator', name),
  };
}

interface Figures {
  readonly loopMs: number;
  readonly shownMs: number;
  readonly shownAfterMs: number;
  readonly wholeMs: number;
  readonly wholeAfterMs: number;
}

async function openedEpisode(url: string): Promise<Figures> {
  const loopMs = await looped(browser);
  const page = await browser.newPage();
  const spentMs = await mainThreadClock(page);
  const startedMs = performance.now();
  const passedMs = () => performance.now() - startedMs;
  await page.goto(url);
  await page.locator('.record >> nth=5').waitFor();
  const [shownMs, shownAfterMs] = [await spentMs(), passedMs()];
  await page.locator('.viewer[data-state=whole]').waitFor();
  const [wholeMs, wholeAfterMs] = [await spentMs(), passedMs()];
  await page.close();
  return { loopMs, shownMs, shownAfterMs, wholeMs, wholeAfterMs };
}

function lineOfTable(form: string, figures: Figures): string {
  const { loopMs, shownMs, shownAfterMs, wholeMs, wholeAfterMs } = figures;
  const cell = (ms: number, width: number) => `${Math.round(ms)} ms`.padStart(width);
  return [
    form.padEnd(12),
    cell(loopMs, 8),
    ...[cell(shownMs, 8), cell(shownAfterMs, 13)],
    ...[cell(wholeMs, 9), cell(wholeAfterMs, 13)],
    (wholeMs / loopMs).toFixed(2).padStart(12),
  ].join('');
}

/** Processor time of the page's main thread since it began, in ms: other processes take none of it. */
async function mainThreadClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value;
    return (seconds ?? Number.NaN) * 1000;
  };
}

/** What the same page would take to read 128 MB one by one. */
async function looped(by: BrowserContext): Promise<number> {
  const page = await by.newPage();
  const spentMs = await mainThreadClock(page);
  const beforeMs = await spentMs();
  await page.evaluate(`(() => {
    const bytes = new Uint8Array(16 * 1024 * 1024).fill(10);
    let lines = 0;
    for (let at = 0; at < 8 * bytes.length; at++) if (bytes[at % bytes.length] === 10) lines += 1;
    return lines;
  })()`);
  const loopMs = (await spentMs()) - beforeMs;
  await page.close();
  return loopMs;
}
