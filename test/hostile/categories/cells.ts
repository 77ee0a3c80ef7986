import type { Dice } from '../../fuzz/dice.ts';
import { spoken } from '../cell-requests.ts';
import type { Cell } from '../cells.ts';
import { type Category, type HostileRequest, jsonType, kept } from '../hostile-request.ts';
import type { Material } from '../material.ts';

/** The closed cells of the matrix, over and over. */
export function cells({ closedCells }: Material, share: number): Category {
  // Who signs costs us more than the service; a few of them will do.
  const signing = closedCells.filter(({ caller }) => caller.name.includes('signing'));
  const others = closedCells.filter((cell) => !signing.includes(cell));
  return { name: 'closed cells', share, make };
  function make(dice: Dice): HostileRequest {
    const cell = dice.pick(dice.chance(0.03) ? signing : others);
    if (cell === undefined) throw new Error('no cell is closed');
    return requestFor(cell, dice);
  }
}

function requestFor(cell: Cell, dice: Dice): HostileRequest {
  const { method, path: target, body } = spoken(cell.described, cell.object);
  const headers = { ...cell.caller.headers(), ...(body !== undefined && jsonType) };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const request = kept(dice, { method, target, headers, ...text }, [401, 403, 404]);
  if (!target.endsWith('/episode-results')) return request;
  return { ...request, expected: [200, 401, 403, 404], refuses: allItemsAreLost };
}

/** A batch answers 200 and refuses item by item. */
function allItemsAreLost(body: string): boolean {
  const { counts } = JSON.parse(body) as { counts: Record<string, number> };
  return Object.keys(counts).join() === '404';
}
