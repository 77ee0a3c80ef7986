import test from 'ava';
import fc from 'fast-check';
import { byPlace, placesOf, type Spot, spotsOf } from '../../../machines/rejudging/places.ts';
import { plainPlaces } from '../../support/plain-board.ts';
import { versionId } from '../../support/race-fields.ts';

// Few scores, so that many are equal: there the ids decide.
const score = fc.nat(6);
const anyBoard = fc
  .array(fc.record({ was: score, becomes: score, isListed: fc.boolean() }), { maxLength: 14 })
  .map((rows) =>
    rows.map(({ was, becomes, isListed }, index) => ({
      agentVersionId: versionId(index + 1),
      was,
      becomes: isListed ? becomes : was,
      isListed,
    })),
  );

test('ranks and shifts are those of the board sorted before and after', (t) => {
  const property = fc.property(anyBoard, (board) => {
    const moves = board.filter(({ isListed }) => isListed);
    const aheadOf = (spot: Spot) =>
      board.filter(({ agentVersionId, was }) => byPlace({ agentVersionId, score: was }, spot) < 0)
        .length;
    const plain = plainPlaces(board, new Set(moves.map(({ agentVersionId }) => agentVersionId)));
    const places = placesOf(moves.toReversed(), aheadOf);
    return (
      places.shiftedCount === plain.shiftedCount &&
      moves.every(({ agentVersionId: id }) => {
        const [told, expected] = [places.ranks.get(id), plain.ranks.get(id)];
        return told?.was === expected?.was && told?.becomes === expected?.becomes;
      })
    );
  });
  t.notThrows(() => fc.assert(property, { numRuns: 1000 }));
});

test('spots come in the order of the board', (t) => {
  const moves = [
    { agentVersionId: 'b', was: 5, becomes: 7 },
    { agentVersionId: 'a', was: 5, becomes: 4 },
  ];

  t.deepEqual(
    spotsOf(moves).map(({ agentVersionId, score: at }) => `${at} ${agentVersionId}`),
    ['7 b', '5 a', '5 b', '4 a'],
  );
});
