import { type Product, productKinds, productsOf } from './catalogue.ts';

/** A line of the pack: what the agent is asked, and what a verifier looks for in the cart. */
export interface ShopTask extends Readonly<Record<string, unknown>> {
  readonly task_id: string;
  readonly family: string;
  readonly goal_text: string;
  readonly expected: Readonly<Record<string, unknown>>;
}

type Goal = Pick<ShopTask, 'goal_text' | 'expected'>;
type Family = readonly [name: string, goal: (kind: string, index: number) => Goal];

const families: readonly Family[] = [
  ['find-product', findProduct],
  ['cheapest-match', cheapestMatch],
  ['best-rated', bestRated],
  ['pair-within-budget', pairWithinBudget],
  ['voucher', voucher],
];

// Ten kinds in a first round, two in a second: 12 tasks in each of the 5 families.
const tasksPerFamily = 12;

export const shopTasks: readonly ShopTask[] = families.flatMap(([family, goal]) =>
  Array.from({ length: tasksPerFamily }, (_, index) => {
    const kind = productKinds[index % productKinds.length] ?? '';
    const task_id = `${family}-${String(index + 1).padStart(2, '0')}`;
    return { task_id, family, ...goal(kind, index) };
  }),
);

function findProduct(kind: string, index: number): Goal {
  const product = at(productsOf(kind), index);
  return {
    goal_text: `Put one ${product.colour} ${kind} by ${product.brand} into the cart.`,
    expected: { product_ids: [product.productId] },
  };
}

function cheapestMatch(kind: string, index: number): Goal {
  const rated = productsOf(kind).filter(({ rating }) => rating >= 3.5);
  const [cheapest] = rated.toSorted((a, b) => a.priceCents - b.priceCents);
  const product = cheapest ?? at(productsOf(kind), index);
  return {
    goal_text: `Find the cheapest ${kind} with a rating of at least 3.5${extra(index)}.`,
    expected: { product_ids: [product.productId] },
  };
}

function bestRated(kind: string, index: number): Goal {
  const limit = at(byPrice(kind), 3 + (index % 3)).priceCents;
  const [best] = byPrice(kind)
    .filter(({ priceCents }) => priceCents <= limit)
    .toSorted((a, b) => b.rating - a.rating);
  return {
    goal_text: `Which ${kind} under ${euros(limit + 1)} is rated best? Put it into the cart.`,
    expected: { product_ids: best === undefined ? [] : [best.productId] },
  };
}

function pairWithinBudget(kind: string, index: number): Goal {
  const round = Math.floor(index / productKinds.length);
  const other = productKinds[(index + 3 + round) % productKinds.length] ?? kind;
  const budget = at(byPrice(kind), 2).priceCents + at(byPrice(other), 2).priceCents;
  return {
    goal_text: `Buy one ${kind} and one ${other} for at most ${euros(budget)} together.`,
    expected: { kinds: [kind, other], total_cents_max: budget },
  };
}

function voucher(kind: string, index: number): Goal {
  const product = at(byPrice(kind), index);
  const percent = 10 + (index % 3) * 5;
  return {
    goal_text: `With the ${percent} % voucher of ${product.seller}, order their ${product.title}.`,
    expected: { product_ids: [product.productId], voucher_percent: percent },
  };
}

/** The second round over the kinds asks for a little more. */
function extra(index: number): string {
  return index < productKinds.length ? '' : ', from any seller';
}

function byPrice(kind: string): readonly Product[] {
  return productsOf(kind).toSorted((a, b) => a.priceCents - b.priceCents);
}

function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}

function at(from: readonly Product[], index: number): Product {
  const product = from[index % from.length];
  if (product === undefined) throw new Error('no product of this kind');
  return product;
}
