import type { Transaction } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';
import { problemName, problemNamespace } from '../../../machines/suite/problem-id.ts';
import type { KeptSuite, RegisteredPack, SuiteDocument } from './messages.ts';
import {
  findPack,
  holdSuites,
  insertRoster,
  insertSuite,
  nextSuiteVersion,
  packTasks,
  type RosterEntry,
} from './store.ts';
import { environmentOf, envpackRoster, invalid, legacyRoster } from './suite-roster.ts';

export interface SuiteDefaults {
  readonly qualifyingThresholdMicro: number;
  readonly requiredSuccessesQualifying: number;
  readonly requiredSuccessesRace: number;
  readonly qualifyingTasks: number;
}

interface SuiteDeps {
  readonly suiteDefaults: SuiteDefaults;
  readonly uuidV5: (namespace: string, name: string) => string;
}

/** Keeps an inactive suite with its roster; versions count up without gaps. */
export async function createSuite(
  tx: Transaction,
  suite: SuiteDocument,
  deps: SuiteDeps,
): Promise<KeptSuite> {
  const { suiteDefaults: defaults } = deps;
  const pack = await packOf(tx, suite);
  await holdSuites(tx);
  const suiteVersion = await nextSuiteVersion(tx);
  const kept = await insertSuite(tx, {
    suiteVersion,
    executionKind: suite.executionKind,
    benchmarkName: suite.benchmarkName,
    benchmarkNumber: suite.benchmarkNumber,
    envPackSha256: pack?.packSha256 ?? null,
    environment: environmentOf(suite, pack),
    qualifyingThresholdMicro: suite.qualifyingThresholdMicro ?? defaults.qualifyingThresholdMicro,
    requiredSuccessesQualifying:
      suite.requiredSuccessesQualifying ?? defaults.requiredSuccessesQualifying,
    requiredSuccessesRace: suite.requiredSuccessesRace ?? defaults.requiredSuccessesRace,
  });
  await insertRoster(tx, kept.suiteId, await rosterOf(tx, suite, { pack, kept, deps }));
  return kept;
}

async function packOf(tx: Transaction, suite: SuiteDocument): Promise<RegisteredPack | undefined> {
  if (suite.executionKind === 'legacy_benchmark') {
    if (suite.envPackSha256 === null) return undefined;
    throw invalid(['body', 'env_pack_sha256'], 'must be null for legacy_benchmark');
  }
  if (suite.envPackSha256 === null) {
    throw invalid(['body', 'env_pack_sha256'], 'must name the pack of an envpack suite');
  }
  const pack = await findPack(tx, suite.envPackSha256);
  if (pack === undefined) {
    const next = 'Upload it first: POST /v1/admin/packs.';
    throw refusal('PACK_NOT_FOUND', { says: 'There is no such pack.', next });
  }
  return pack;
}

async function rosterOf(
  tx: Transaction,
  suite: SuiteDocument,
  known: {
    readonly pack: RegisteredPack | undefined;
    readonly kept: KeptSuite;
    readonly deps: SuiteDeps;
  },
): Promise<readonly RosterEntry[]> {
  const { pack, kept, deps } = known;
  const problemIdOf = (name: string) =>
    deps.uuidV5(problemNamespace, problemName(kept.suiteId, name));
  if (pack === undefined) {
    if (suite.problems.length === 0) throw invalid(['body', 'problems'], 'must not be empty');
    return legacyRoster(suite, problemIdOf);
  }
  return envpackRoster(suite, await packTasks(tx, pack.packSha256), {
    count: deps.suiteDefaults.qualifyingTasks,
    // Of the pack alone: what one suite of it shows, another must not hold out.
    seed: pack.packSha256,
    problemIdOf,
  });
}
