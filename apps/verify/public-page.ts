import type { z } from 'zod';
import type { Clock } from '../../infra/ports/clock.ts';
import { Refusal, Unanswered } from '../cli/client/refusal.ts';
import { BundleRefused, BundleUnread } from './sealed-bundle.ts';
import { AnswerLate, type Service, wholeAnswer } from './whole-answer.ts';

/**
 * A public page of the service in the shape that it documents; a refusal is told in its own words. One
 * that may pass says nothing of the race; of another one that is for whoever asks to say.
 */
export async function readPage<T>(
  { url, clock }: Service,
  path: string,
  schema: z.ZodType<T>,
  Refused: typeof BundleRefused = BundleRefused,
): Promise<T> {
  const address = `${url}${path}`;
  const { answer, body } = await answerOf(address, clock);
  if (!answer.ok) {
    const { status } = answer;
    const detail = JSON.stringify(Reflect.get(Object(body), 'detail') ?? body);
    const Unanswering = status === 429 || status >= 500 ? BundleUnread : Refused;
    const cause = new Refusal(`GET ${address}`, answer, body);
    throw new Unanswering(`${address} answers ${status}: ${detail}`, { cause });
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new BundleRefused(`${address} has no readable ${where}: ${issue?.message}`);
}

async function answerOf(address: string, clock: Clock) {
  try {
    const { answer, body } = await wholeAnswer({ address, clock });
    return { answer, body: JSON.parse(body.toString('utf8')) as unknown };
  } catch (error) {
    const why = error instanceof AnswerLate ? error.message : 'the connection failed';
    const cause = new Unanswered(`GET ${address}: ${why}`, { cause: error });
    throw new BundleUnread(`${address} cannot be read`, { cause });
  }
}
