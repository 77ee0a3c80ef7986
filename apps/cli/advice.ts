import type { ErrorByCode } from './client/schemas.generated.ts';

/** What to do about a refusal, by its code; its own detail says what happened. */
export const adviceByCode: Partial<Readonly<Record<keyof ErrorByCode, string>>> = {
  ACTOR_NOT_FOUND: 'See the ids of the members with: paddock operator partitions',
  AGENT_VERSION_NOT_FOUND: 'See the ids of your versions with: paddock agents',
  AGENT_NOT_FOUND: 'See the ids of your agents with: paddock agents',
  ARTIFACT_NOT_RELEASED: 'Code is released five days after its submission, or when it becomes top.',
  ARTIFACT_NOT_FOUND:
    'Validators send logs, trajectories, or neither: paddock status ID --tasks lists the episodes.',
  BANNED: 'Ask the operators of this service why.',
  CODE_ANALYSIS_ERROR: 'See each place with: paddock check FILE',
  COOLDOWN_ACTIVE:
    'Meanwhile paddock check FILE says what the next one would be told; it has no cooldown.',
  CREDENTIAL_REJECTED: 'The provider itself refused it: check it there, then set it again.',
  EVAL_RUN_NOT_FOUND: 'paddock status ID lists the runs of a version.',
  INVALID_CHALLENGE: 'The challenge was used or is older than 60 seconds: run paddock login again.',
  INVALID_FILE: 'Mend the file, and see what else there is with: paddock check FILE',
  INVALID_SESSION: 'Sign in again with: paddock login',
  INVALID_SIGNATURE: 'The key does not fit the hotkey: run paddock login with the right key.',
  MISSING_CREDENTIALS: 'Sign in with: paddock login --key FILE',
  NO_ACTIVE_SUITE: 'Nothing is evaluated until the operators activate a suite: try again later.',
  NOT_CONNECTED: 'Connect the provider first: paddock credentials set PROVIDER',
  NOT_PINNABLE: 'paddock agents says of each version whether it can be pinned, and if not, why.',
  NOT_REGISTERED:
    'Register the hotkey on the subnet; a new registration counts here within five minutes.',
  OUTCOME_UNKNOWN: 'Look with paddock status or paddock agents whether it took effect.',
  PARKED_MESSAGE_NOT_FOUND:
    'See what is parked, and its ids, with: paddock operator parked-messages',
  RACE_IN_FLIGHT: 'It is sealed until the race is over and its embargo has passed: paddock race',
  RACE_LOCKED: 'Pins are locked until the race is over: paddock race --watch',
  RACE_NOT_FOUND: 'See past races with: paddock races',
  REJUDGING_NOT_FOUND: 'See the ids of rejudgings with: paddock operator rejudgings',
  TIMESTAMP_SKEW: 'Set the clock of this machine: it is off by more than a minute.',
  TRACE_NOT_FOUND: 'See the ids of those that are kept with: paddock operator traces',
  UNKNOWN_PROVIDER: 'See the names of the providers with: paddock credentials',
  WEBHOOK_NOT_FOUND: 'See the ids of webhooks with: paddock operator webhooks',
  WRONG_ROLE: 'Sign in with a hotkey of the right role, or use the token that the command needs.',
};
