import type { Attempt, History } from '../clients/history.ts';

export interface StandingsVerdict {
  readonly answers: number;
  readonly epochs: number;
  readonly violations: readonly string[];
}

/** INV-34 and 35: one epoch is told in one way, and no client goes back to an earlier one. */
export function standingsViolations({ attempts }: History): StandingsVerdict {
  const answers = attempts.filter(({ told }) => told.epoch !== undefined);
  const digests = Map.groupBy(answers, ({ told }) => told.epoch ?? 0);
  const violations = [...digests].flatMap(([epoch, told]) => {
    const ways = new Set(told.map(({ told: { bodySha256 } }) => bodySha256)).size;
    return ways === 1 ? [] : [`INV-34: epoch ${epoch} was told in ${ways} ways`];
  });
  for (const [client, own] of Map.groupBy(answers, (answer) => answer.client)) {
    violations.push(...stepsBack(own).map((text) => `INV-35: ${client} ${text}`));
  }
  return { answers: answers.length, epochs: digests.size, violations };
}

/** An answer of an earlier epoch to a question asked after a later one was told. */
function stepsBack(answers: readonly Attempt[]): string[] {
  const byReturn = answers.toSorted((a, b) => a.returnMs - b.returnMs);
  return answers.flatMap(({ callMs, told: { epoch = 0 } }) => {
    const before = byReturn.findLast(({ returnMs }) => returnMs < callMs)?.told.epoch ?? epoch;
    return before <= epoch ? [] : [`was told of epoch ${epoch} after ${before}`];
  });
}
