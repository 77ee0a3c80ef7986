import type { FaultCode } from '../../../machines/fault.ts';
import type { Again } from '../../../machines/fault-text.ts';
import { faultTexts } from '../../../machines/fault-texts.ts';
import type { Endpoint } from '../endpoint.ts';
import { statusByCode, wireCodeOf } from '../faults.ts';
import { generalFaults, possibleFaults } from './possible-faults.ts';

/** The printed parts of the page of refusals, by the names of their blocks. */
export function refusalBlocks(endpoints: readonly Endpoint[]): ReadonlyMap<string, string> {
  return new Map([
    ['refusals', refusalsTable(endpoints, 'anybody')],
    ['operator-refusals', refusalsTable(endpoints, 'operators')],
  ]);
}

/** What anybody can meet, or what operators alone can. */
function refusalsTable(endpoints: readonly Endpoint[], of: 'anybody' | 'operators'): string {
  const common = faultsOf(endpoints.filter(({ role }) => role !== 'operator'));
  for (const fault of generalFaults) common.add(fault);
  const faults = of === 'anybody' ? common : faultsOf(endpoints).difference(common);
  const rows = [...faults].map(row).sort();
  return [
    '| Code | Status | What it means | What to do | Again? |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function faultsOf(endpoints: readonly Endpoint[]): Set<FaultCode> {
  return new Set(endpoints.flatMap((endpoint) => [...possibleFaults(endpoint)]));
}

function row(fault: FaultCode): string {
  const { says, next, again } = faultTexts[fault];
  const status = statusByCode[fault];
  return `| \`${wireCodeOf(fault)}\` | ${status} | ${says} | ${next} | ${wordsOf[again]} |`;
}

const wordsOf: Readonly<Record<Again, string>> = {
  soon: 'as it is, after `Retry-After`',
  later: 'as it is, later',
  changed: 'changed',
  no: 'no',
};
