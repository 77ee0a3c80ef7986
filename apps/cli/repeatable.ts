import { Refusal, Unanswered } from './client/refusal.ts';
import { exitCodes } from './exit-code.ts';
import { Failed, failureOf, isInterruption } from './failure.ts';

/**
 * An order whose answer was lost may have been carried out: says how to ask again without a second one, and
 * by which command to look for it, where the service's own advice is for others.
 */
export async function repeatable<T>(
  order: Promise<T>,
  idempotencyKey: string,
  command?: string,
): Promise<T> {
  const repeat = `Repeated with --idempotency-key ${idempotencyKey} it is carried out once and no more.`;
  return await order.catch((error: unknown) => {
    if (!isOpen(error)) throw error;
    const { advice } = failureOf(error);
    const looks =
      command === undefined
        ? [advice]
        : lookedFor(error, `Look with ${command} whether it took effect.`);
    throw stillOpen(error, [...looks, repeat], idempotencyKey);
  });
}

/** The same of one that is seen by `command`, if it was carried out. */
export async function visibleBy<T>(command: string, order: Promise<T>): Promise<T> {
  const look = `Look with ${command} whether it took effect, before you send it again.`;
  return await order.catch((error: unknown) => {
    if (!isOpen(error)) throw error;
    throw stillOpen(error, lookedFor(error, look));
  });
}

/** The advice for an unknown outcome names commands of its own. */
function lookedFor(error: unknown, look: string): readonly (string | undefined)[] {
  const { advice, code } = failureOf(error);
  return code === 'OUTCOME_UNKNOWN' ? [look] : [advice, look];
}

/** With all that a program goes by, as it would be of the failure itself. */
function stillOpen(
  error: unknown,
  advice: readonly (string | undefined)[],
  idempotencyKey?: string,
): Failed {
  const failure = failureOf(error);
  const { message, code } = failure;
  const open = `${message.replace(/\.$/, '')}; whether it took effect is not known`;
  return new Failed(
    code === 'OUTCOME_UNKNOWN' ? message : open,
    isInterruption(error) ? exitCodes.interrupted : exitCodes.later,
    advice.filter((line) => line !== undefined).join('\n'),
    { ...failure, idempotencyKey },
  );
}

function isOpen(error: unknown): boolean {
  if (error instanceof Unanswered || error instanceof Refusal) return error.leavesOpen;
  return isInterruption(error);
}
