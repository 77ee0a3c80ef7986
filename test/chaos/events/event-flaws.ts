import { publicEvent } from '../../../machines/feed/public-event.ts';
import { isSigned } from '../../support/webhook-receiver.ts';
import type { Delivery, HookRecord, ListenerRecord } from './records.ts';

/** The feed as it stands in the end: the JSON text of each event, the first one at place 0. */
export type Feed = readonly string[];

/** When the public may know what, in Unix milliseconds, worked out apart from the feed. */
export interface Embargoes {
  /** Versions by id: from when on their code may be told of. */
  readonly code: ReadonlyMap<string, number>;
  /** Races by id: from when on the ends of their runs may be told, and whether any score may. */
  readonly races: ReadonlyMap<string, { readonly dueMs: number; readonly isCancelled: boolean }>;
  /** Numbers that only runs of a race have: from when on they may be seen; never, if it was cancelled. */
  readonly sealedNumbers: ReadonlyMap<string, number>;
}

/** Of one kind; a broken rule is often broken a thousand times. */
const shownMax = 3;
/** A frozen sender may send what it has signed before. */
const timestampSlackMs = 60_000;

/** What one client read, put together, is the feed from where it began to `end`: no more, no less. */
export function listenerFlaws(feed: Feed, record: ListenerRecord, end: number): string[] {
  const { name, after, heard, refusals } = record;
  if (after === undefined) return [`${name} was never told where it began`];
  const flaws = refusals.map((refusal) => `refused: ${refusal}`);
  for (const [index, { id, name: type, text }] of heard.entries()) {
    const cursor = after + 1 + index;
    if (id !== String(cursor)) {
      flaws.push(`heard ${id} where ${cursor} comes next`);
      break;
    }
    if (text !== feed[cursor - 1]) flaws.push(`heard another event ${cursor} than the feed has`);
    if (!text.startsWith(`{"cursor":${id},"type":"${type}",`)) flaws.push(`${id} is misnamed`);
  }
  const last = after + heard.length;
  if (last < end) flaws.push(`ended at ${last} of ${end}`);
  return told(name, flaws);
}

/**
 * Each event that the webhook wants came at least once and in order: the next one only after the one
 * before was taken, or may have been. A repeat is the same message again.
 */
export function hookFlaws(feed: Feed, hook: HookRecord, end: number): string[] {
  const { name, after, types, secret } = hook;
  const wanted = feed.slice(after, end).filter((text) => types?.includes(typeOf(text)) ?? true);
  const places = new Map(wanted.map((text, place) => [text, place]));
  const flaws: string[] = [];
  let next = 0;
  let isTaken = true;
  for (const delivery of hook.deliveries) {
    flaws.push(...messageFlaws(delivery, secret));
    const place = places.get(delivery.body) ?? -1;
    if (place < 0) flaws.push(`${delivery.id} is no event that it wants`);
    else if (place === next && !isTaken) flaws.push(`${delivery.id} came before its turn`);
    else if (place > next) flaws.push(`${delivery.id} came, and ${idOf(wanted[next])} did not`);
    const isPossible = delivery.outcome !== 'refused';
    if (place >= next) [next, isTaken] = [place + 1, isPossible];
    else if (place === next - 1) isTaken ||= isPossible;
  }
  if (next < wanted.length) flaws.push(`was never told ${idOf(wanted[next])}`);
  else if (!isTaken) flaws.push('the last event was never taken');
  return told(name, flaws);
}

function messageFlaws(delivery: Delivery, secret: string): string[] {
  const { id, timestamp, atMs, body } = delivery;
  const flaws: string[] = [];
  if (!isSigned(delivery, secret)) flaws.push(`${id} is not signed`);
  if (id !== idOf(body)) flaws.push(`${id} is the id of another event`);
  const ageMs = atMs - timestamp * 1000;
  if (ageMs < -1_000 || ageMs > timestampSlackMs) flaws.push(`${id} is ${ageMs} ms old`);
  return flaws;
}

/** Of whatever anybody heard: nothing before it happened, before its release, or that is sealed. */
export function embargoFlaws(
  embargoes: Embargoes,
  heard: readonly { readonly text: string; readonly atMs: number }[],
): string[] {
  return told(
    'embargo',
    heard.flatMap(({ text, atMs }) => {
      const flaws = [...sealedTexts(embargoes, text, atMs)];
      const parsed = publicEvent.safeParse(JSON.parse(text));
      if (!parsed.success) return [...flaws, `${text} has not the form of an event`];
      if (JSON.stringify(parsed.data).length !== text.length) {
        flaws.push(`${text} says more than its kind may`);
      }
      const { data: event } = parsed;
      const early = Math.max(Date.parse(event.at), dueOf(embargoes, event)) - atMs;
      if (early > 0) flaws.push(`${text} came ${early} ms before its time`);
      if (event.type === 'run-ended' && event.race_id !== null) {
        const isCancelled = embargoes.races.get(event.race_id)?.isCancelled ?? true;
        const isJudged = event.validator_score !== null || !/STALE|CANCELLED/.test(event.status);
        if (isCancelled && isJudged) flaws.push(`${text} tells how a cancelled race went`);
      }
      return flaws;
    }),
  );
}

function dueOf({ code, races }: Embargoes, event: ReturnType<typeof publicEvent.parse>): number {
  const never = Number.POSITIVE_INFINITY;
  if (event.type === 'code-released') return code.get(event.agent_version_id) ?? never;
  if (event.type !== 'run-ended' || event.race_id === null) return 0;
  return races.get(event.race_id)?.dueMs ?? never;
}

function* sealedTexts({ sealedNumbers }: Embargoes, text: string, atMs: number): Generator<string> {
  for (const [number] of text.matchAll(/\d\.\d{5,}/g)) {
    if ((sealedNumbers.get(number) ?? 0) > atMs) yield `${text} holds ${number}, which is sealed`;
  }
  if (/task-\d/.test(text)) yield `${text} names a task`;
}

const typeOf = (text: string) => /"type":"([a-z-]+)"/.exec(text)?.[1] ?? '';
const idOf = (text = '') => `evt_${/"cursor":(\d+)/.exec(text)?.[1]}`;

function told(name: string, flaws: readonly string[]): string[] {
  const shown = flaws.slice(0, shownMax).map((flaw) => `${name}: ${flaw}`);
  return flaws.length > shownMax ? [...shown, `${name}: ${flaws.length} in all`] : shown;
}
