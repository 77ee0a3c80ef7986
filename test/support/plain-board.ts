import { byPlace, type Move, type Places } from '../../machines/rejudging/places.ts';

/** Sorts the whole board twice: what ranks and shifts have to agree with. */
export function plainPlaces(board: readonly Move[], listed: ReadonlySet<string>): Places {
  const ranksBy = (when: 'becomes' | 'was') => {
    const spots = board.map((one) => ({ agentVersionId: one.agentVersionId, score: one[when] }));
    const order = spots.sort(byPlace).map(({ agentVersionId }) => agentVersionId);
    return new Map(order.map((id, index) => [id, index + 1]));
  };
  const [before, after] = [ranksBy('was'), ranksBy('becomes')];
  const rankOf = (id: string) => ({ was: before.get(id) ?? 0, becomes: after.get(id) ?? 0 });
  const shifted = board.filter(({ agentVersionId: id }) => {
    return !listed.has(id) && before.get(id) !== after.get(id);
  });
  return {
    ranks: new Map([...listed].map((id) => [id, rankOf(id)])),
    shiftedCount: shifted.length,
  };
}
