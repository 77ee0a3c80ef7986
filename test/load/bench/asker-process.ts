/** Asks over HTTP what it is told to, as a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection } from '../http-connection.ts';
import type { Asking, Question, WireAsked } from './asking.ts';
import { HdrHistogram } from './hdr-histogram.ts';
import { servePartner } from './partner-process.ts';

const codePattern = /"error_code":"([A-Z_]+)"/;

class Tally {
  readonly answers: Record<string, number> = {};
  readonly latency = new HdrHistogram();
  readonly service = new HdrHistogram();
  readonly lateness = new HdrHistogram();

  async take(question: Question, connection: HttpConnection, dueMs: number): Promise<void> {
    const { method, path, head = '', body = '' } = question;
    const sentMs = performance.now();
    let what: string;
    try {
      const { status, body: text } = await connection.send(method, path, { head, body });
      const code = status < 400 ? '' : ` ${codePattern.exec(text)?.[1] ?? ''}`;
      what = `${status}${code}`;
    } catch (error) {
      what = String(error);
    }
    this.answers[what] = (this.answers[what] ?? 0) + 1;
    if (what !== '200') return;
    const nowMs = performance.now();
    this.latency.record(nowMs - dueMs);
    this.service.record(nowMs - sentMs);
  }
}

interface Turn {
  readonly next: () => Question;
  readonly connections: readonly HttpConnection[];
  readonly tally: Tally;
}

servePartner(true, ask);

async function ask(asking: Asking): Promise<WireAsked> {
  const { baseUrls, questions } = asking;
  const connections = Array.from(
    { length: asking.connections },
    (_, index) => new HttpConnection(baseUrls[index % baseUrls.length] ?? ''),
  );
  let turn = 0;
  const next = () => questions[turn++ % questions.length] ?? { method: 'GET', path: '/' };
  const tally = new Tally();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await (asking.rate === undefined ? closedLoop : openLoop)(asking, { next, connections, tally });
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  for (const connection of connections) connection.close();
  const { answers, latency, service, lateness } = tally;
  const count = Object.values(answers).reduce((sum, each) => sum + each, 0);
  return {
    ...{ seconds, count, answers, cpuUs: user + system },
    lateP99Ms: lateness.quantileMs(0.99),
    latency: latency.counts,
    service: service.counts,
  };
}

async function closedLoop({ seconds }: Asking, { next, connections, tally }: Turn): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  const lane = async (connection: HttpConnection) => {
    while (performance.now() < endMs) await tally.take(next(), connection, performance.now());
  };
  await Promise.all(connections.map(lane));
}

/** Who finds no free connection waits here, and that is charged to the service. */
async function openLoop(
  { seconds, rate = 1 }: Asking,
  { next, connections, tally }: Turn,
): Promise<void> {
  const free = [...connections];
  const due: number[] = [];
  const underWay = new Set<Promise<void>>();
  const startedMs = performance.now();
  let nextMs = startedMs;
  const dispatch = () => {
    while (free.length > 0 && due.length > 0) {
      const [connection, dueMs] = [free.pop(), due.shift()];
      if (connection === undefined || dueMs === undefined) return;
      const sent = tally.take(next(), connection, dueMs).finally(() => {
        underWay.delete(sent);
        free.push(connection);
        dispatch();
      });
      underWay.add(sent);
    }
  };
  while (performance.now() < startedMs + seconds * 1000) {
    for (; nextMs <= performance.now(); nextMs += (-Math.log(1 - Math.random()) * 1000) / rate) {
      due.push(nextMs);
    }
    dispatch();
    const asleepMs = performance.now();
    await sleep(1);
    tally.lateness.record(performance.now() - asleepMs - 1);
  }
  while (underWay.size > 0) await Promise.all(underWay);
}
