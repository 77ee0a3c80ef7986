import { z } from 'zod';
import { codeReleaseOf } from '../../../machines/agent-version/code-release.ts';
import { type Share, similarityVerdicts } from '../../../machines/submission/similarity.ts';
import type { ReportedMatch } from '../../../machines/submission/similarity-report.ts';
import { similarityReasons } from '../../../machines/submission/similarity-verdict.ts';
import type { SimilarityRow, SimilaritySummaryRow, SimilarSourceRow } from '../reads/similarity.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import { uuidOut } from './uuid.ts';

const share = (description: string) => z.number().meta({ description });
const verdict = z.enum(similarityVerdicts);

const version = {
  agent_version_id: uuidOut,
  agent_name: z.string(),
  version_number: z.number().int(),
  miner_hotkey: z.string(),
  submitted_at: instant,
};

export const similaritySummary = z
  .object({
    ...version,
    verdict,
    reasons: z.array(z.enum(similarityReasons)),
    earlier_agent_version_id: uuidOut
      .nullable()
      .meta({ description: 'The earlier version that the verdict rests on; null where clean.' }),
    reported_at: instant,
  })
  .meta({ id: 'SimilaritySummary' });

const line = z.number().int();
const match = z.object({
  ...version,
  relation: z
    .enum(['OTHER', 'OWN'])
    .meta({ description: 'OWN: of the same hotkey or coldkey, which says nothing against it.' }),
  verdict,
  reasons: z.array(z.enum(similarityReasons)),
  is_same_file: z.boolean(),
  was_public: z
    .boolean()
    .meta({ description: 'Whether anybody could read it when the later file was submitted.' }),
  share: share('Of this file, what is in the earlier one; what many have weighs less.'),
  source_share: share('Of the earlier file, what is in this one.'),
  plain_share: share('As `share`, with everything weighing the same.'),
  passages: z.array(
    z.object({
      first_line: line,
      last_line: line,
      earlier_first_line: line,
      earlier_last_line: line,
    }),
  ),
});

export const similarity = z
  .object({
    ...version,
    state: z.enum(['PENDING', 'REPORTED', 'UNREADABLE']),
    verdict: verdict.nullable(),
    reasons: z.array(z.enum(similarityReasons)),
    common_share: share('Of this file, what so many have that it weighs less.').nullable(),
    matches: z.array(match).meta({ description: 'Of each miner the nearest version.' }),
    reported_at: instant.nullable(),
  })
  .meta({ id: 'Similarity' });

const decimals = 10_000;

/** Four decimal places, rounded down: what is not all is never told as all. */
function shareOut({ part, whole }: Share): number {
  return whole === 0 ? 0 : Math.floor((part * decimals) / whole) / decimals;
}

type Named = Pick<SimilarityRow, 'agentVersionId' | 'submittedAt'> & SimilarName;
type SimilarName = Pick<SimilarityRow, 'agentName' | 'versionNumber' | 'minerHotkey'>;

const toVersion = (row: Named) => ({
  agent_version_id: row.agentVersionId,
  agent_name: row.agentName,
  version_number: row.versionNumber,
  miner_hotkey: row.minerHotkey,
  submitted_at: formatInstant(row.submittedAt),
});

export function toSimilaritySummary(row: SimilaritySummaryRow): z.input<typeof similaritySummary> {
  const { verdict, reportedAt } = row;
  if (verdict === null || reportedAt === null) throw new Error('only reports are listed');
  return {
    ...toVersion(row),
    verdict,
    reasons: [...row.reasons],
    earlier_agent_version_id: row.nearestId,
    reported_at: formatInstant(reportedAt),
  };
}

export function toSimilarity(
  row: SimilarityRow,
  sources: ReadonlyMap<string, SimilarSourceRow>,
  codePrivateMs: number,
): z.input<typeof similarity> {
  const { report, reportedAt, unreadable } = row;
  const done = reportedAt === null ? null : report;
  const submittedAtMs = row.submittedAt.getTime();
  return {
    ...toVersion(row),
    state: unreadable !== null ? 'UNREADABLE' : done === null ? 'PENDING' : 'REPORTED',
    verdict: done?.verdict ?? null,
    reasons: [...(done?.reasons ?? [])],
    common_share: done && shareOut(done.commonShare),
    matches: (done?.matches ?? []).flatMap((each) => {
      const source = sources.get(each.id);
      if (source === undefined) return [];
      return [toMatch(each, source, releasedAtMs(source, codePrivateMs) <= submittedAtMs)];
    }),
    reported_at: formatInstantOrNull(reportedAt),
  };
}

function releasedAtMs({ submittedAt, topAt }: SimilarSourceRow, privateMs: number): number {
  const history = { submittedAtMs: submittedAt.getTime(), topAtMs: topAt?.getTime() ?? null };
  return codeReleaseOf(history, privateMs).atMs;
}

function toMatch(
  found: ReportedMatch,
  source: SimilarSourceRow,
  wasPublic: boolean,
): z.input<typeof match> {
  return {
    ...toVersion(source),
    relation: found.isOwn ? 'OWN' : 'OTHER',
    verdict: found.verdict,
    reasons: [...found.reasons],
    is_same_file: found.isSameFile,
    was_public: wasPublic,
    share: shareOut(found.share),
    source_share: shareOut(found.sourceShare),
    plain_share: shareOut(found.plainShare),
    passages: found.lines.map((passage) => ({
      first_line: passage.firstLine,
      last_line: passage.lastLine,
      earlier_first_line: passage.sourceFirstLine,
      earlier_last_line: passage.sourceLastLine,
    })),
  };
}
