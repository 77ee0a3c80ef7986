import { z } from 'zod';
import { fieldOf } from './read-usage.ts';

const readFields = {
  model: z.string().min(1).max(200),
  /** Some providers fall back on these: each must be allowed like the model itself. */
  models: z.array(z.string().min(1).max(200)).max(20).optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
};

/**
 * A chat completion as agents ask for one: what is not named here is the provider's business. A name
 * in other letters is no other field to some parsers, and could say there what was not looked at here.
 */
export const completionBody = z.looseObject(readFields).superRefine((body, context) => {
  for (const name of Object.keys(body)) {
    if (!isOtherwiseSpelt(name)) continue;
    const input = body[name];
    context.addIssue({ code: 'custom', path: [name], message: 'must be in lower case', input });
  }
});

/** Upper case first: the long s and its like are letters to those parsers, too. */
function isOtherwiseSpelt(name: string): boolean {
  const usual = name.toUpperCase().toLowerCase();
  return name !== usual && Object.hasOwn(readFields, usual);
}

export type CompletionBody = z.infer<typeof completionBody>;

/** Whether the usage of a stream is asked for by us alone, and so hidden from the agent. */
export function hidesUsage(body: CompletionBody): boolean {
  return body.stream === true && fieldOf(body.stream_options, 'include_usage') !== true;
}

/**
 * The JSON text for the provider: the agent's own with models by their ids. Streams are always asked
 * for their usage, which comes as an event of its own.
 */
export function upstreamText(
  body: CompletionBody,
  modelId: string,
  idOf: (model: string) => string,
): string {
  const { models, stream_options: options } = body;
  return JSON.stringify({
    ...body,
    model: modelId,
    ...(models !== undefined && { models: models.map(idOf) }),
    ...(hidesUsage(body) && { stream_options: { ...options, include_usage: true } }),
  });
}
