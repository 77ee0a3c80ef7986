import type { CodeVerdict } from '../../infra/ports/code-analysis.ts';

/** Lines that an editor can follow: `agent.py:12:5: dunder-access: …`, the line itself below. */
export function describeVerdict(name: string, verdict: CodeVerdict): string {
  if (verdict.kind === 'clean') return `${name}: accepted`;
  if (verdict.kind === 'invalid') return `${name}: ${verdict.detail}`;
  return verdict.violations
    .map(({ line, column, rule, category, message, snippet }) => {
      return `${name}:${line}:${column}: ${rule} (${category}): ${message}\n    ${snippet}`;
    })
    .join('\n');
}
