/** What somebody is told whose text is no name. */
export const agentNameRule =
  'An agent name has 1 to 100 letters, digits, spaces, dots, underscores and hyphens.';

/**
 * An agent's name: 1 to 100 ASCII letters, digits, spaces, dots, underscores and hyphens, not blank
 * (rules.md section 8). ASCII, since names that only look alike would share a leaderboard. Blanks
 * around the name are not part of it. Undefined when the text is no name.
 */
export function agentName(text: string): string | undefined {
  const name = text.trim();
  return /^[A-Za-z0-9 ._-]{1,100}$/.test(name) ? name : undefined;
}
