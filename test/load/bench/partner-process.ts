import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A process beside this one that is told what to do, one order after the other. */
export interface PartnerProcess<Order, Answer, Ready = true> extends AsyncDisposable {
  readonly pid: number;
  /** What it said at its start. */
  readonly ready: Ready;
  ask(order: Order): Promise<Answer>;
}

interface Message<Answer, Ready> {
  readonly ready?: Ready;
  readonly answer?: Answer;
  readonly error?: string;
}

/** @param program a file of this folder, which calls `servePartner` */
export async function startPartner<Order, Answer, Ready = true>(
  program: string,
  plan: unknown,
): Promise<PartnerProcess<Order, Answer, Ready>> {
  const child = fork(join(import.meta.dirname, program), [JSON.stringify(plan)], {
    serialization: 'advanced',
    execArgv: [],
  });
  const exited = once(child, 'exit');
  const message = await next<Answer, Ready>(child, exited);
  if (message.ready === undefined) throw new Error(`${program} did not start: ${message.error}`);
  return {
    pid: child.pid ?? 0,
    ready: message.ready,
    async ask(order) {
      child.send(order as object);
      const { answer, error } = await next<Answer, Ready>(child, exited);
      if (answer !== undefined) return answer;
      throw new Error(`${program} failed: ${error}`);
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function next<Answer, Ready>(
  child: ChildProcess,
  exited: Promise<unknown>,
): Promise<Message<Answer, Ready>> {
  const told = once(child, 'message');
  const [message] = await Promise.race([told, exited.then(() => [{ error: 'it ended' }])]);
  return message;
}

/** In the partner: says that it is ready, answers orders, and ends with whoever started it. */
export function servePartner<Order, Answer>(
  ready: unknown,
  work: (order: Order) => Promise<Answer>,
): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (order: Order) => {
    work(order).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.send?.({ ready });
}

/** What `startPartner` was given. */
export function planOf<Plan>(): Plan {
  return JSON.parse(process.argv[2] ?? '');
}
