import type { z } from 'zod';
import { Refusal, Unanswered } from '../cli/client/refusal.ts';
import { BundleRefused, BundleUnread } from './sealed-bundle.ts';

/**
 * A public page of the service in the shape that it documents; a refusal is told in its own words. One
 * that may pass says nothing of the race; of another one that is for whoever asks to say.
 */
export async function readPage<T>(
  address: string,
  schema: z.ZodType<T>,
  Refused: typeof BundleRefused = BundleRefused,
): Promise<T> {
  const { answer, body } = await answerOf(address);
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

async function answerOf(address: string) {
  try {
    const answer = await fetch(address);
    const body: unknown = await answer.json();
    return { answer, body };
  } catch (error) {
    const cause = new Unanswered(`GET ${address}: the connection failed`, { cause: error });
    throw new BundleUnread(`${address} cannot be read`, { cause });
  }
}
