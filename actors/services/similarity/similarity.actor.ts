/**
 * Tells operators which submitted files are like earlier ones, in the background of the coordinators.
 *
 * 1. Every accepted version gets a report, those from before this service too. What is to be done is
 *    known from the rows alone, so whoever dies on the way leaves it to the next one.
 * 2. Files are read by any process, each under a lease; reports are made one after the other, in the
 *    order of submission, since each rests on the verdicts before it.
 * 3. A file that cannot be read holds up nobody behind it for long. A store that is away holds up all, and
 *    it is away when it does not give a file either that it gave before.
 * 4. What a store does not give it may give later. It is asked again for ever, and once it gives the file, all
 *    versions behind it are reported on again.
 * 5. What is reported on again keeps its report until the new one is there, and nobody waits for it who has
 *    none yet: such a report may rest on verdicts that change, and is then made again in its turn.
 */
import type { Clock } from '../../../infra/ports/clock.ts';
import type {
  CodeFingerprinter,
  FingerprintedCode,
} from '../../../infra/ports/code-fingerprints.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { similarVersions } from '../../../machines/submission/similar-versions.ts';
import { standingsOf } from '../../../machines/submission/similarity.ts';
import { reportOn } from '../../../machines/submission/similarity-report.ts';
import { createRounds } from '../rounds.ts';
import type { Transact } from '../service-handler.ts';
import { readPrecedents, readSources } from './precedents.ts';
import {
  type DueVersion,
  knownFingerprints,
  leaseUnread,
  lockReported,
  lockUnreported,
  nearestRead,
  postpone,
  saveFingerprints,
  saveReport,
  saveUnreadable,
  setAside,
  type UnreadVersion,
} from './store.ts';
import { VersionWalk } from './version-walk.ts';

export interface SimilarityDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  /** The bytes of a submitted file; undefined when the store has none. */
  readonly readCode: (sha256: string) => Promise<Uint8Array | undefined>;
  readonly fingerprinter: CodeFingerprinter;
  readonly clock: Clock;
  readonly log: Logger;
}

const everyMs = 2_000;
/** A store that answers nothing is given up by itself before; one that trickles would never be. */
const readMs = 40_000;
/**
 * Longer than all that is done under it: two reads, or one and its fingerprints. Of a lease that ended
 * before, the try could not be taken back, and an outage of the store would use a file's tries up.
 */
const leaseMs = 3 * readMs;
const pauseMs = 10_000;
/** A reader that died may have been another file's victim, or the machine's. */
const triesMax = 3;

export function createSimilarity(given: SimilarityDeps): Service {
  const { clock, log, fingerprinter, transact } = given;
  const deps = { ...given, readCode: (sha256: string) => readWithin(readMs, sha256, given) };
  const walk = new VersionWalk(transact, clock, everyMs);
  return createRounds(clock, everyMs, async (stopping) => {
    try {
      // In turns, so that the first reports of many do not wait for the last file, nor the newest version
      // for the last report.
      for (let went = true; went && !stopping.aborted; ) {
        await walk.go(stopping);
        const wasRead = await readNext(deps);
        const wasReported = await reportNext(deps);
        went = (await reportNextAgain(deps)) || wasReported || wasRead;
      }
    } catch (error) {
      log.warn('similarity was not looked at; the next round tries again', { error });
    } finally {
      await fingerprinter.rest();
    }
  });
}

async function readWithin(
  ms: number,
  sha256: string,
  { readCode, clock }: SimilarityDeps,
): Promise<Uint8Array | undefined> {
  const read = new AbortController();
  const late = clock.sleep(ms, read.signal).then(() => {
    throw new Error(`the store did not give a file within ${ms} ms`);
  });
  // Once the file is read nobody hears that it is not late.
  late.catch(() => undefined);
  try {
    return await Promise.race([readCode(sha256), late]);
  } finally {
    read.abort();
  }
}

/** False when there is no file to be read. */
async function readNext(deps: SimilarityDeps): Promise<boolean> {
  const held = await leaseUnread(deps.sql, leaseMs);
  if (held === undefined) return false;
  try {
    await readVersion(deps, held);
  } catch (error) {
    await postpone(deps.sql, held, { pauseMs, isTry: false });
    throw error;
  }
  return true;
}

/** Writes the fingerprints of one version down, or why it has none. */
export async function readVersion(
  deps: Omit<SimilarityDeps, 'clock'>,
  held: UnreadVersion,
): Promise<void> {
  const { sql, transact, log } = deps;
  const known = await knownFingerprints(sql, held.codeSha256);
  if (known !== undefined) return await transact((tx) => saveFingerprints(tx, held, known));
  const code = await readCodeOf(deps, held);
  if (code.kind === 'read') {
    return await transact((tx) => saveFingerprints(tx, held, code.fingerprints));
  }
  const { agentVersionId, attempts } = held;
  log.warn('a submitted file has no fingerprints', { agentVersionId, attempts, ...code });
  const isAway = code.kind === 'withheld';
  if (isAway && (held.isSetAside || attempts >= triesMax)) await setAside(sql, held, code.reason);
  else if (attempts < triesMax) await postpone(sql, held, { pauseMs, isTry: true });
  else await saveUnreadable(sql, held, code.reason);
}

/** The store is at fault, though it gives other files. */
interface WithheldCode {
  readonly kind: 'withheld';
  readonly reason: string;
  readonly error?: unknown;
}

async function readCodeOf(
  { sql, readCode, fingerprinter }: Omit<SimilarityDeps, 'clock'>,
  held: UnreadVersion,
): Promise<FingerprintedCode | WithheldCode> {
  let file: Uint8Array | undefined;
  try {
    file = await readCode(held.codeSha256);
  } catch (error) {
    const other = await nearestRead(sql, held);
    const control = other && (await readCode(other).catch(() => undefined));
    if (control === undefined) throw error;
    return { kind: 'withheld', reason: 'the store does not give the file', error };
  }
  if (file === undefined) return { kind: 'withheld', reason: 'the store does not have the file' };
  return await fingerprinter.read(file);
}

type ReportDeps = Pick<SimilarityDeps, 'log' | 'transact'>;

/** Reports on the next version in the order of submission; false when it is not ready, or nobody's. */
export async function reportNext(deps: ReportDeps): Promise<boolean> {
  return await reportOnOne(deps, lockUnreported);
}

/** In the same order on the next of those behind one that came late; false when there is none for now. */
export async function reportNextAgain(deps: ReportDeps): Promise<boolean> {
  return await reportOnOne(deps, lockReported);
}

async function reportOnOne(
  { transact, log }: ReportDeps,
  lock: (tx: Transaction) => Promise<DueVersion | undefined>,
): Promise<boolean> {
  return await transact(async (tx) => {
    const version = await lock(tx);
    if (version === undefined) return false;
    const { versionNo, agentVersionId, codeSha256 } = version;
    // A file that nobody can read has no fingerprints, and there is nothing to say about it.
    const file = version.unreadable === null && (await knownFingerprints(tx, codeSha256));
    if (!file) {
      await saveReport(tx, versionNo, null);
      return true;
    }
    const precedents = await readPrecedents(tx, version, file);
    const numbers = similarVersions(precedents, standingsOf(precedents), file.modulus);
    const sources = await readSources(tx, version, precedents, numbers);
    const report = reportOn(file, precedents, sources);
    await saveReport(tx, versionNo, report);
    if (report.verdict !== 'clean') {
      const [first] = report.matches;
      log.info('a submitted file is like an earlier one', {
        ...{ agentVersionId, verdict: report.verdict, reasons: report.reasons },
        earlierAgentVersionId: first?.id,
      });
    }
    return true;
  });
}
