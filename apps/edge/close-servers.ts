import type { Server } from 'node:http';
import type { Clock } from '../../infra/ports/clock.ts';
import { giveUp } from './given-up.ts';
import type { OpenAnswers } from './open-answers.ts';

/** For answers of a few hundred bytes to leave. */
const lastAnswersMs = 300;

/**
 * `close` also ends the idle connections; busy ones end with their answers (`Connection: close`). What
 * is still open shortly before `withinMs` is over gets an answer that says so.
 */
export async function closeServers(
  servers: readonly Server[],
  by: { readonly clock: Clock; readonly open: OpenAnswers; readonly withinMs: number },
): Promise<void> {
  const closed = Promise.all(servers.filter(({ listening }) => listening).map(closedServer));
  if (!(await endsWithin(closed, by.withinMs - lastAnswersMs, by.clock))) {
    for (const response of by.open) giveUp(response);
    await endsWithin(closed, lastAnswersMs, by.clock);
  }
  for (const server of servers) server.closeAllConnections();
  await closed;
}

async function closedServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

async function endsWithin(end: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const patience = new AbortController();
  const late = clock.sleep(Math.max(0, ms), patience.signal).then(
    () => false,
    () => true,
  );
  const hasEnded = await Promise.race([end.then(() => true), late]);
  patience.abort();
  return hasEnded;
}
