/**
 * The forger, as a process of its own. Told to flood and to stop by messages of the process that
 * started it; answers with what it was answered, by status and code.
 */

import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flood, FloodResult } from './flood.ts';
import { type ForgerPlan, forge } from './forgeries.ts';
import { HttpConnection } from './http-connection.ts';

process.on('disconnect', () => process.exit(0));

const [planText = ''] = process.argv.slice(2);
const plan: ForgerPlan = JSON.parse(planText);
const connectionCount = 128;
let isOn = false;

process.on('message', (flood: Flood | 'stop') => {
  if (flood === 'stop') isOn = false;
  else void run(flood);
});
process.send?.('ready');

async function run({ rate, addresses }: Flood): Promise<void> {
  isOn = true;
  const free = Array.from(
    { length: connectionCount },
    (_, index) => new HttpConnection(plan.baseUrls[index % plan.baseUrls.length] ?? ''),
  );
  const connections = [...free];
  const answers: Record<string, number> = {};
  const startedMs = performance.now();
  let sent = 0;
  while (isOn) {
    const due = Math.floor(((performance.now() - startedMs) * rate) / 1000);
    for (; sent < due; sent += 1) {
      const connection = free.pop();
      // Nobody answers: a forger would open more connections, and gain nothing by it.
      if (connection === undefined) count(answers, 'not sent');
      else void send(connection, addresses, answers).finally(() => free.push(connection));
    }
    await sleep(1);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  for (const connection of connections) connection.close();
  const result: FloodResult = { seconds, sent, answers };
  process.send?.(result);
}

async function send(
  connection: HttpConnection,
  addresses: Flood['addresses'],
  answers: Record<string, number>,
): Promise<void> {
  const { method, path, head, body } = forge(plan);
  const from = addresses === 'one' ? '203.0.113.9' : `10.${byte()}.${byte()}.${byte()}`;
  try {
    const answer = await connection.send(method, path, {
      head: `x-forwarded-for: ${from}\r\n${head}`,
      body,
    });
    count(answers, `${answer.status} ${/"error_code":"([A-Z_]+)"/.exec(answer.body)?.[1] ?? ''}`);
  } catch (error) {
    count(answers, String(error));
  }
}

function byte(): number {
  return randomInt(256);
}

function count(answers: Record<string, number>, what: string): void {
  answers[what] = (answers[what] ?? 0) + 1;
}
