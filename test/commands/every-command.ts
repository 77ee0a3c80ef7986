import {
  benchCommand,
  benchForgedCommand,
  benchLifecycleCommand,
  benchPagesCommand,
  benchSimilarityCommand,
} from './bench-commands.ts';
import { chaosCommand } from './chaos-command.ts';
import type { Command } from './command-line.ts';
import { drillsCommand } from './drills-command.ts';
import { hostileCommand } from './hostile-command.ts';
import { mutantsCommand } from './mutants-command.ts';
import {
  proofContractCommand,
  proofEvasionsCommand,
  proofEventsCommand,
  proofFirstStartCommand,
  proofGuidesCommand,
  proofHistoryCommand,
  proofHonestCommand,
  proofLifecycleCommand,
  proofPythonCommand,
  proofRacesCommand,
  proofRequestsCommand,
  proofSecretsCommand,
  proofSignaturesCommand,
} from './proof-commands.ts';
import { simCommand } from './sim-command.ts';

interface Startable {
  readonly command: Command;
  /** Loads what does the work, which begins at once. */
  readonly start: () => Promise<unknown>;
}

/** What people type, beside the service itself. Each is loaded only when its line is right. */
export const everyCommand: readonly Startable[] = [
  { command: simCommand, start: () => import('../sim/main.ts') },
  { command: chaosCommand, start: () => import('../chaos/main.ts') },
  { command: drillsCommand, start: () => import('../chaos/drills.ts') },
  { command: mutantsCommand, start: () => import('../mutants/prove-mutants.ts') },
  { command: hostileCommand, start: () => import('../hostile/run-hostile.ts') },
  { command: benchCommand, start: () => import('../load/bench/bench.ts') },
  { command: benchForgedCommand, start: () => import('../load/bench-forged.ts') },
  { command: benchLifecycleCommand, start: () => import('../load/bench-lifecycle.ts') },
  { command: benchPagesCommand, start: () => import('../pages/bench-pages.ts') },
  { command: benchSimilarityCommand, start: () => import('../load/bench-similarity.ts') },
  { command: proofContractCommand, start: () => import('../contract/prove-contract.ts') },
  {
    command: proofEvasionsCommand,
    start: () => import('../infra/python/evasions/prove-evasions.ts'),
  },
  { command: proofEventsCommand, start: () => import('../chaos/events/prove-events.ts') },
  { command: proofFirstStartCommand, start: () => import('../pages/prove-first-start.ts') },
  {
    command: proofGuidesCommand,
    start: () => import('../guides/clean-machine/prove-guides.ts'),
  },
  { command: proofHistoryCommand, start: () => import('../chaos/prove-history.ts') },
  { command: proofHonestCommand, start: () => import('../infra/python/honest/prove-honest.ts') },
  { command: proofLifecycleCommand, start: () => import('../chaos/prove-lifecycle.ts') },
  { command: proofPythonCommand, start: () => import('../fuzz/python/prove-python.ts') },
  { command: proofRacesCommand, start: () => import('../chaos/prove-races.ts') },
  { command: proofRequestsCommand, start: () => import('../fuzz/prove-requests.ts') },
  { command: proofSecretsCommand, start: () => import('../chaos/prove-secrets.ts') },
  {
    command: proofSignaturesCommand,
    start: () => import('../infra/crypto/prove-signatures.ts'),
  },
];
