import { Refusal, Unanswered } from './client/refusal.ts';
import { exitCodes } from './exit-code.ts';
import { Failed, failureOf, isInterruption } from './failure.ts';

/** An order whose answer was lost may have been carried out: says how to ask again without a second one. */
export async function repeatable<T>(order: Promise<T>, idempotencyKey: string): Promise<T> {
  try {
    return await order;
  } catch (error) {
    if (!isOpen(error)) throw error;
    const { message, advice = '', code } = failureOf(error);
    const repeat = `Repeated with --idempotency-key ${idempotencyKey} it is carried out once and no more.`;
    const open = `${message.replace(/\.$/, '')}; whether it took effect is not known`;
    throw new Failed(
      code === 'OUTCOME_UNKNOWN' ? message : open,
      isInterruption(error) ? exitCodes.interrupted : exitCodes.later,
      `${advice}\n${repeat}`.trimStart(),
    );
  }
}

function isOpen(error: unknown): boolean {
  if (error instanceof Unanswered || isInterruption(error)) return true;
  return error instanceof Refusal && (error.code === 'OUTCOME_UNKNOWN' || error.status === 500);
}
