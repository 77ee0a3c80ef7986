import type { z } from 'zod';
import { BundleRefused } from './sealed-bundle.ts';

/** A public page of the service in the shape that it documents; a refusal is told in its own words. */
export async function readPage<T>(address: string, schema: z.ZodType<T>): Promise<T> {
  const { isOk, status, body } = await answerOf(address);
  if (!isOk) {
    const detail = JSON.stringify(Reflect.get(Object(body), 'detail') ?? body);
    throw new BundleRefused(`${address} answers ${status}: ${detail}`);
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
    return { isOk: answer.ok, status: answer.status, body };
  } catch (cause) {
    throw new BundleRefused(`${address} cannot be read`, { cause });
  }
}
