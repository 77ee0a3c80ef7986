/** Tokens of one completion, as the provider counts them. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Of a completion or of a stream's chunk; undefined where the provider says nothing of it. */
export function usageOf(answer: unknown): TokenUsage | undefined {
  const usage = fieldOf(answer, 'usage');
  const promptTokens = countOf(fieldOf(usage, 'prompt_tokens'));
  const completionTokens = countOf(fieldOf(usage, 'completion_tokens'));
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  return { promptTokens: promptTokens ?? 0, completionTokens: completionTokens ?? 0 };
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // Sound because the object has it.
  return (value as Record<string, unknown>)[name];
}

// As the service that counts them takes at most.
const tokensMax = 100_000_000;

function countOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  return Math.min(tokensMax, Math.round(value));
}
