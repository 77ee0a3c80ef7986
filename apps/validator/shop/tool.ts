import { z } from 'zod';
import type { ToolAnswer } from '../sandbox/run-agent.ts';

/** Answers whatever an agent has sent as the arguments of a call. */
export type Tool = (given: Readonly<Record<string, unknown>>) => ToolAnswer;

/** More than a shop is asked with in earnest; to search for the words of 4 MB would keep us from all else for a second. */
const textLengthMax = 128 * 1024;

/** Not by `max`, which compares the length of whatever has one: that of an agent's object may throw. */
export const text = z
  .string()
  .refine(({ length }) => length <= textLengthMax, `more than ${textLengthMax} characters`);

/**
 * A tool that is asked with these arguments and no others: what an agent sends may be any JSON, such as an
 * object that throws as it is made a text, and what a tool throws would count as an error of the environment.
 */
export function toolAsked<Shape extends z.ZodRawShape>(
  shape: Shape,
  answer: (asked: z.infer<z.ZodObject<Shape>>) => ToolAnswer,
): Tool {
  const known = z.object(shape);
  return (given) => {
    const asked = known.safeParse(given);
    if (asked.success) return answer(asked.data);
    const [issue] = asked.error.issues;
    return { error: `${issue?.path.join('.')}: ${issue?.message}` };
  };
}
