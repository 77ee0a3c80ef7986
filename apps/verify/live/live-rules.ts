import { type Environment, readSettingOf } from '../../../infra/config/config.ts';
import type { LiveRules } from './checks/check.ts';

/** What the rules are about, as services read it. Throws ConfigInvalid. */
export function liveRules(env: Environment): LiveRules {
  const isCooldownSet = (env['COOLDOWN_SECONDS']?.trim() ?? '') !== '';
  return {
    // By default the miners' rows show it.
    cooldownMs: isCooldownSet ? 1000 * readSettingOf('COOLDOWN_SECONDS', env) : undefined,
    codePrivateMs: 1000 * readSettingOf('CODE_RELEASE_SECONDS', env),
    noProgressMs: 1000 * readSettingOf('NO_PROGRESS_SECONDS', env),
    runLimitMs: 1000 * readSettingOf('RUN_LIMIT_SECONDS', env),
  };
}
