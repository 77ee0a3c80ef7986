import type { Fault } from '../fault.ts';
import { refusal } from '../refusal.ts';

/**
 * An agent's name: 1 to 100 ASCII letters, digits, spaces, dots, underscores and hyphens, not blank
 * (rules.md section 8). ASCII, since names that only look alike would share a leaderboard. Blanks
 * around the name are not part of it. Undefined when the text is no name.
 */
export function agentName(text: string): string | undefined {
  const name = text.trim();
  return /^[A-Za-z0-9 ._-]{1,100}$/.test(name) ? name : undefined;
}

/** What a miner is told whose text is no name, by the service and by the command line alike. */
export function noAgentName(text: string | undefined): Fault {
  const rule = 'An agent name has 1 to 100 letters, digits, spaces, dots, underscores and hyphens.';
  return refusal('INVALID_AGENT_NAME', { says: `${rule} Yours has ${seenOf(text)}.` });
}

/** What of a name that is none its miner looks at first. */
function seenOf(text: string | undefined): string {
  if (text === undefined || text.trim().length > 100) return 'more';
  const stranger = /[^A-Za-z0-9 ._-]/u.exec(text.trim())?.[0];
  return stranger === undefined ? 'none' : JSON.stringify(stranger);
}
