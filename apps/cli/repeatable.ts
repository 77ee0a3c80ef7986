import { Refusal, Unanswered } from './client/refusal.ts';
import { exitCodes } from './exit-code.ts';
import { Failed, failureOf, isInterruption } from './failure.ts';

/** An order whose answer was lost may have been carried out: says how to ask again without a second one. */
export async function repeatable<T>(order: Promise<T>, idempotencyKey: string): Promise<T> {
  const repeat = `Repeated with --idempotency-key ${idempotencyKey} it is carried out once and no more.`;
  return await order.catch((error: unknown) => {
    throw isOpen(error) ? stillOpen(error, [failureOf(error).advice, repeat]) : error;
  });
}

/** The same of one that is seen by `command`, if it was carried out. */
export async function visibleBy<T>(command: string, order: Promise<T>): Promise<T> {
  const look = `Look with ${command} whether it took effect, before you send it again.`;
  return await order.catch((error: unknown) => {
    if (!isOpen(error)) throw error;
    const { advice, code } = failureOf(error);
    throw stillOpen(error, code === 'OUTCOME_UNKNOWN' ? [look] : [advice, look]);
  });
}

function stillOpen(error: unknown, advice: readonly (string | undefined)[]): Failed {
  const { message, code } = failureOf(error);
  const open = `${message.replace(/\.$/, '')}; whether it took effect is not known`;
  return new Failed(
    code === 'OUTCOME_UNKNOWN' ? message : open,
    isInterruption(error) ? exitCodes.interrupted : exitCodes.later,
    advice.filter((line) => line !== undefined).join('\n'),
  );
}

function isOpen(error: unknown): boolean {
  if (error instanceof Unanswered || error instanceof Refusal) return error.leavesOpen;
  return isInterruption(error);
}
