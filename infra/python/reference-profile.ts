import type { SandboxProfile } from './sandbox-profile.ts';

/**
 * What the reference validator's sandbox offers, and what its runner calls. A service whose agents are run
 * by others says otherwise in AGENT_PACKAGES and AGENT_ENTRY_POINT.
 */
export const referenceProfile = {
  agentPackages: ['shop_tools'],
  entryPoint: 'agent_main',
} as const satisfies SandboxProfile;
