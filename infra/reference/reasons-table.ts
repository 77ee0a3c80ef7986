import {
  codeReleaseTexts,
  pinTexts,
  qualificationTexts,
  raceCancelTexts,
  reignEndTexts,
  similarityTexts,
  unfinishedTexts,
} from '../../machines/reasons/race-texts.ts';
import type { ReasonKind } from '../../machines/reasons/reason-kinds.ts';
import {
  discardTexts,
  exclusionTexts,
  faultClassTexts,
  holdTexts,
  judgingTexts,
  reopeningTexts,
  runEndTexts,
} from '../../machines/reasons/run-texts.ts';

/** The printed parts of the page of reasons, by the names of their blocks. */
export function reasonBlocks(): ReadonlyMap<string, string> {
  return new Map(Object.entries(kinds).map(([name, kind]) => [name, tableOf(kind)]));
}

const kinds: Readonly<Record<string, ReasonKind>> = {
  holds: holdTexts,
  'run-ends': runEndTexts,
  'fault-classes': faultClassTexts,
  exclusions: exclusionTexts,
  reopenings: withoutExclusions(),
  discards: discardTexts,
  pins: pinTexts,
  qualifications: qualificationTexts,
  'race-cancellations': raceCancelTexts,
  unfinished: unfinishedTexts,
  'reign-ends': reignEndTexts,
  'code-releases': codeReleaseTexts,
  judgings: judgingTexts,
  similarities: similarityTexts,
};

function withoutExclusions(): ReasonKind {
  const { VERSION_REINSTATED } = reopeningTexts;
  return { VERSION_REINSTATED };
}

function tableOf(kind: ReasonKind): string {
  const rows = Object.entries(kind).map(
    ([code, { says, next }]) => `| \`${code}\` | ${says} | ${next ?? '–'} |`,
  );
  return ['| Code | What it means | What you can do |', '|---|---|---|', ...rows.sort()].join('\n');
}
