import { z } from 'zod';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import { fallenTops } from './compare-field.ts';
import { hasSurvived } from './compare-window.ts';
import type { Comparison } from './difference.ts';
import { nearMs } from './live/checks/check.ts';
import { readPage } from './public-page.ts';
import { instantOf, numberOf } from './race-page.ts';
import { readStatus } from './version-status.ts';
import type { Service } from './whole-answer.ts';

const reign = z.object({
  agent_version_id: z.string(),
  miner_hotkey: z.string(),
  race_id: z.string(),
  top_at: z.string(),
  ended_at: z.string().nullable(),
});
type Reign = z.infer<typeof reign>;

const released = z.object({
  race_scores: z.array(
    z.object({ race_number: z.number(), weighted_score: z.number().nullable() }),
  ),
});

/** Compares who reigned at the close, before the end and after it with the public history. */
export async function compareTop(
  service: Service,
  bundle: RaceBundle,
  to: Comparison,
): Promise<void> {
  const address = `/v1/public/top/history?suite_id=${bundle.race.suite_id}`;
  const history = await readPage(service, address, z.array(reign));
  comparePromotion(history, bundle.race, to);
  await compareTopBefore({ service, bundle, history }, to);
  await compareTopScore(service, bundle, to);
  const { closed_at: closedAt } = bundle.race;
  const atClose = reigningAt(history, closedAt).map(({ agent_version_id }) => agent_version_id);
  for (const { agent_version_id: id, qualification_type: type } of fallenTops(bundle)) {
    const isTop = atClose.includes(id);
    if (type === 'PINNED') {
      const isRightful = isTop || (await hasSurvived(service, bundle, id));
      to.published(`version ${id}, top or survivor at the close`, true, isRightful);
    } else to.published(`version ${id}, top at the close`, true, isTop);
  }
}

/** A promotion begins a reign in the history; a race without one begins none. */
function comparePromotion(
  history: readonly Reign[],
  race: RaceBundle['race'],
  to: Comparison,
): void {
  const begun = history.filter(({ race_id }) => race_id === race.race_id);
  const promoted = race.promoted_agent_version_id;
  to.same(
    'top history: who became top by this race',
    begun.map(({ agent_version_id }) => agent_version_id),
    promoted === null ? [] : [promoted],
  );
  for (const { top_at: topAt } of begun) {
    to.same('top history: since when', Date.parse(topAt), race.completed_at);
  }
}

interface Before {
  readonly service: Service;
  readonly bundle: RaceBundle;
  readonly history: readonly Reign[];
}

async function compareTopBefore(
  { service, bundle, history }: Before,
  to: Comparison,
): Promise<void> {
  const { top_before: top, race } = bundle;
  if (top === null) {
    const [reigning] = history.filter((each) => isReigning(each, race.completed_at, 0));
    const isHushed = reigning !== undefined && !(await hasFallen(service, reigning));
    to.published('top before', null, isHushed ? reigning.agent_version_id : null);
    return;
  }
  const [page] = reigningAt(history, race.completed_at);
  to.published('top before', top.agent_version_id, page?.agent_version_id ?? null);
  to.published('top before, hotkey', top.miner_hotkey, page?.miner_hotkey ?? null);
  to.published('top before, since when', instantOf(top.top_at), page?.top_at ?? null);
}

/** A top that a discard or a ban met shortly before the end has its reign ended by the end. */
async function hasFallen(
  service: Service,
  { agent_version_id, ended_at }: Reign,
): Promise<boolean> {
  const { timeline } = await readStatus(service, agent_version_id);
  return timeline.some(
    ({ event, at, detail }) => event === 'reign_ended' && at === ended_at && detail !== 'OUTRANKED',
  );
}

/** What the owner of the reigns ends, it ends by a clock that may be behind. */
const reigningAt = (history: readonly Reign[], atMs: number) =>
  history.filter((each) => isReigning(each, atMs, nearMs));

function isReigning({ top_at, ended_at }: Reign, atMs: number, toleranceMs: number): boolean {
  const endedMs = ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(ended_at);
  return Date.parse(top_at) < atMs && endedMs >= atMs - toleranceMs;
}

/** A top that did not finish is challenged at the Overall of the last race that it finished. */
async function compareTopScore(
  service: Service,
  bundle: RaceBundle,
  to: Comparison,
): Promise<void> {
  const { top_before: top, race, entrants } = bundle;
  if (top === null) return;
  const own = entrants.find(({ agent_version_id }) => agent_version_id === top.agent_version_id);
  if (own !== undefined && own.race_score !== null) return;
  // Its code, and so this page, is public since it became top.
  const address = `/v1/public/agent-versions/${top.agent_version_id}`;
  const { race_scores: scores } = await readPage(service, address, released);
  const last = scores
    .filter((each) => each.race_number < race.race_number && each.weighted_score !== null)
    .toSorted((left, right) => right.race_number - left.race_number)[0];
  to.published('top before, score', numberOf(top.score), last?.weighted_score ?? null);
}
