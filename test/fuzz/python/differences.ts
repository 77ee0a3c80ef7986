/**
 * Compares, file by file, what we say of a file with what CPython 3.11 says:
 *
 * 1. The judge in the product gives the verdict of CPython's own `compile` on the same bytes, but
 *    for files that declare another encoding, which we refuse.
 * 2. What CPython compiles, our reader reads to its end.
 * 3. What it read is what CPython will run: both trees have the same names, attributes, imports,
 *    calls, keywords and literals, on the same lines.
 */
import { readAndJudge } from '../../../infra/python/analyse-file.ts';
import type { PythonJudge } from '../../../infra/python/cpython/python-judge.ts';
import type { Ruff } from '../../../infra/python/ruff.ts';
import { undecodable } from '../../../infra/python/source-file.ts';
import type { CPython } from '../../support/cpython.ts';
import type { FactsOfCPython } from './facts-of-cpython.ts';
import { factsOfReader } from './facts-of-reader.ts';

export interface Parties {
  readonly judge: Pick<PythonJudge, 'judge'>;
  readonly python: CPython;
  readonly tree: FactsOfCPython;
  readonly ruff: Ruff;
}

export interface Comparison {
  readonly compiles: boolean;
  /** Ruff and our parser alone, as if there were no CPython. */
  readonly isRead: boolean;
  readonly difference: string | null;
}

const profile = { agentPackages: [], entryPoint: undefined };

export async function compare(file: Uint8Array, parties: Parties): Promise<Comparison> {
  const { judge, python, ruff } = parties;
  const ours = readAndJudge(file, ruff, profile);
  const isRead = ours.kind !== 'unreadable';
  const told = await python.compile(file);
  const said = (difference: string | null) => ({ compiles: told.ok, isRead, difference });
  // Another encoding, or one that only CPython's file reader would refuse: refused before anyone is asked.
  const refusal = undecodable(file);
  if (refusal !== null) {
    // CPython reads over a stray byte in a comment; the service takes UTF-8 throughout, as specified.
    const isOurs = !told.ok || /declares the encoding/.test(refusal.reason) || !isText(file);
    return said(isOurs ? null : `undecodable to us alone: ${refusal.reason}`);
  }
  const judgement = await judge.judge(file);
  if ((judgement.kind === 'parses') !== told.ok)
    return said(`judged ${JSON.stringify(judgement)}, compiled ${JSON.stringify(told)}`);
  if (!told.ok) return said(null);
  if (ours.kind === 'unreadable') return said(`unreadable to us alone: ${ours.reason}`);
  if (ours.kind === 'empty') return said(null);
  return said(treeDifference(factsOfReader(file, ruff), await parties.tree.facts(file)));
}

function isText(file: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(file);
    return true;
  } catch {
    return false;
  }
}

function treeDifference(ours: readonly string[], theirs: readonly string[] | null): string | null {
  if (theirs === null) return 'CPython compiles it and shows no tree';
  const counts = new Map<string, number>();
  // The one character that the programs call by name; our reader looks no names up.
  const unnamed = (fact: string) => fact.replaceAll('\\u2022', '\\ufffd');
  for (const fact of theirs.map(unnamed)) counts.set(fact, (counts.get(fact) ?? 0) + 1);
  for (const fact of ours.map(unnamed)) counts.set(fact, (counts.get(fact) ?? 0) - 1);
  const different = [...counts].filter(([, count]) => count !== 0).slice(0, 6);
  if (different.length === 0) return null;
  const lines = different.map(([fact, count]) => `${count > 0 ? 'CPython' : 'we'}: ${fact}`);
  return `the trees differ: ${lines.join('; ')}`;
}
