import { isStorable, storableJson } from '../../../machines/storable-json.ts';
import { episodeItem } from './episode-item.ts';

/** An item that is refused before its shape is looked at; its answer names it as it named itself. */
export class UnfitItem {
  readonly eval_run_id: unknown;
  readonly task_id: unknown;
  readonly why: string;

  constructor({ eval_run_id, task_id }: Given, why: string) {
    this.eval_run_id = eval_run_id;
    this.task_id = task_id;
    this.why = why;
  }
}

type Given = Readonly<Record<string, unknown>>;

const known = Object.keys(episodeItem.shape);

/** What a verifier tells of an agent may be in its words. All other texts name something that we know. */
const free: ReadonlySet<string> = new Set(['verdict_checks', 'reward_components']);

/**
 * An item of a body in which some text is odd: what we do not know is dropped first, whatever it holds.
 * One that is refused keeps its run from ever being complete, so only a name that is none is a reason.
 */
export function mendedItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const given = item as Given;
  const mended: Record<string, unknown> = {};
  for (const name of known) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name];
    if (free.has(name)) mended[name] = storableJson(value);
    else if (typeof value !== 'string' || isStorable(value)) mended[name] = value;
    else return new UnfitItem(given, `${name}: must not hold a NUL or half of a surrogate pair`);
  }
  return mended;
}
