import { z } from 'zod';
import { parsedJson } from '../../machines/parsed-json.ts';

/**
 * One line of the table that blames a failed run by its reason text. `pattern` is a regular
 * expression, tried without regard to case; the first line that matches decides.
 */
export interface FaultRule {
  readonly pattern: string;
  readonly class: 'AGENT' | 'INTEGRITY' | 'PLATFORM' | 'PROVIDER' | 'UNATTRIBUTED' | 'VALIDATOR';
  /** Counts only where the claim handed out no inference token: else the text proves nothing. */
  readonly onlyWithoutToken: boolean;
}

const faultRule: z.ZodType<FaultRule> = z.strictObject({
  pattern: z.string().min(1).max(500).refine(isPattern, 'is not a regular expression'),
  class: z.enum(['AGENT', 'INTEGRITY', 'PLATFORM', 'PROVIDER', 'UNATTRIBUTED', 'VALIDATOR']),
  onlyWithoutToken: z.boolean().default(false),
});

const faultRules = z.array(faultRule).max(200);

/** A JSON list of rules. */
export const faultTable: z.ZodType<FaultRule[], string> = z.string().transform((text, context) => {
  const rules = faultRules.safeParse(parsedJson(text));
  if (rules.success) return rules.data;
  const first = rules.error.issues[0];
  const where = first === undefined ? '' : `: ${first.path.join('.')} ${first.message}`;
  context.addIssue({
    code: 'custom',
    message: `must be a JSON list of {"pattern", "class", "onlyWithoutToken"?}${where}`,
  });
  return z.NEVER;
});

/** `providera` and `providerb` are its names in the contract. */
const provider = 'provider\\w*|inference|upstream';
/** An HTTP status and no measure: not `540 s`, `512 MB` or `1.512`. */
const refusedStatus =
  '(?<![\\d.,])(429|5\\d\\d)(?![\\d.,]*\\d|%| ?(s|ms|min|h|[kmg]i?b|times|second|seconds|minute|minutes|hours?|bytes|steps|tasks|tokens|episodes)\\b)';

/**
 * Ours first, so that a sandbox which died while the pack was loading is not held against the
 * agent; then the provider's own words; the agent last. What could be read in two ways is in no line:
 * three faults in a row discard a version, and a fault that is not the agent's may cost it nothing.
 */
export const defaultFaultTable: string = JSON.stringify([
  {
    pattern: 'server disconnected|connection (reset|refused|closed) by (server|peer)',
    class: 'PLATFORM',
  },
  { pattern: '\\bdownload', class: 'PLATFORM' },
  { pattern: '\\b(env[ _-]?)?packs?\\b', class: 'PLATFORM' },
  { pattern: '\\b(load(ing)?|fetch(ing)?)\\b.{0,40}\\bproblems?\\b', class: 'PLATFORM' },
  {
    pattern: '\\bproblems?\\b.{0,40}\\b(load(ing)?|missing|not found|unavailable)\\b',
    class: 'PLATFORM',
  },
  {
    pattern: `\\b(${provider})\\b.{0,80}\\b(401|402|403|unauthori[sz]ed|forbidden|invalid (api )?key|insufficient (credit|quota|balance|funds))`,
    class: 'AGENT',
  },
  // The provider itself said so: no service of ours that lost a connection on the way to a credential.
  {
    pattern:
      '\\bprovider\\w*\\b.{0,20}\\b(refused|rejected) (the |this |its |your )?(credentials?|(api )?key)\\b',
    class: 'AGENT',
  },
  // A code of ours, for what an agent has asked for; beside it, no other word says more.
  { pattern: '\\bspend_limit_reached\\b', class: 'AGENT' },
  { pattern: `${refusedStatus}.{0,80}\\b(${provider}|model)\\b`, class: 'PROVIDER' },
  {
    pattern: `\\b(${provider}|model)\\b.{0,80}(${refusedStatus}|rate.?limit|overloaded|unavailable)`,
    class: 'PROVIDER',
  },
  {
    pattern:
      '\\b(missing|empty|refused|rejected|no|invalid)\\b.{0,40}\\b(credentials?|api.?key|inference (key|token))\\b',
    class: 'AGENT',
    onlyWithoutToken: true,
  },
  {
    pattern:
      '\\b(credentials?|api.?key|inference (key|token))\\b.{0,40}\\b(missing|empty|refused|rejected|not set|invalid)\\b',
    class: 'AGENT',
    onlyWithoutToken: true,
  },
  {
    pattern: '\\bsandbox\\b.{0,60}\\b(crash|exit|kill|died|oom|out of memory|abort)',
    class: 'AGENT',
  },
  { pattern: '\\b(agent|sandbox)\\b.{0,60}\\btime(d)?[ -]?out', class: 'AGENT' },
  // The first number behind the word: what follows a clean exit is none.
  { pattern: '\\b(exit(ed)?|return)[ _](with )?(code|status)\\b\\D{0,10}[1-9]', class: 'AGENT' },
]);

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu') !== undefined;
  } catch {
    return false;
  }
}
