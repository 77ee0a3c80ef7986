import type { Product } from '../../validator/shop/catalogue.ts';
import type { Expectation } from '../../validator/shop/grade.ts';
import { productKinds, productsOf, sellers, vouchers } from './catalogue.ts';

/** A line of the pack: what the agent is asked, and what the verifier looks for in the order. */
export interface ShopTask extends Readonly<Record<string, unknown>> {
  readonly task_id: string;
  readonly family: string;
  readonly goal_text: string;
  readonly expected: Expectation;
}

interface Goal {
  readonly goal_text: string;
  readonly expected: Expectation;
}

/** Where a task stands in its family: which kind of product it is about, and for which time. */
interface Place {
  readonly kind: string;
  readonly kindIndex: number;
  readonly round: number;
}

type Family = readonly [name: string, goal: (place: Place) => Goal];

const families: readonly Family[] = [
  ['find-product', findProduct],
  ['cheapest-match', cheapestMatch],
  ['best-rated', bestRated],
  ['pair-within-budget', pairWithinBudget],
  ['voucher', withVoucher],
  ['one-shop', fromOneShop],
];

// Ten kinds in two rounds and half of a third one: 25 tasks in each of the 6 families.
const tasksPerFamily = 25;
const qualifyingPerFamily = 5;

export const shopTasks: readonly ShopTask[] = families.flatMap(([family, goal]) =>
  Array.from({ length: tasksPerFamily }, (_, index) => {
    const kindIndex = index % productKinds.length;
    const round = Math.floor(index / productKinds.length);
    const task_id = `${family}-${String(index + 1).padStart(2, '0')}`;
    return { task_id, family, ...goal({ kind: kindAt(kindIndex), kindIndex, round }) };
  }),
);

/** 30 of them, every fifth of its family; the other 120 are held out for races. */
export const qualifyingTaskIds: readonly string[] = families.flatMap(([family]) =>
  shopTasks
    .filter((task) => task.family === family)
    .filter((_, index) => index % (tasksPerFamily / qualifyingPerFamily) === 0)
    .map(({ task_id: id }) => id),
);

function findProduct({ kind, kindIndex, round }: Place): Goal {
  const { colour, brand } = at(productsOf(kind), kindIndex + round * 3);
  return {
    goal_text: `Order one ${colour} ${kind} by ${brand}.`,
    expected: { wishes: [{ kind, colour, brand }] },
  };
}

function cheapestMatch({ kind, round }: Place): Goal {
  const ratingMin = [3.4, 3.8, 4.1][round] ?? 3.4;
  return {
    goal_text: `Order the cheapest ${kind} with a rating of at least ${ratingMin}.`,
    expected: { wishes: [{ kind, rating_min: ratingMin, best: 'cheapest' }] },
  };
}

function bestRated({ kind, round }: Place): Goal {
  const limitCents = at(byPrice(kind), 3 + round).priceCents;
  return {
    goal_text: `Which ${kind} for at most ${euros(limitCents)} is rated best? Order it.`,
    expected: { wishes: [{ kind, price_cents_max: limitCents, best: 'best_rated' }] },
  };
}

function pairWithinBudget({ kind, kindIndex, round }: Place): Goal {
  const other = kindAt(kindIndex + 3 + round);
  const budgetCents = at(byPrice(kind), 1).priceCents + at(byPrice(other), 1).priceCents;
  return {
    goal_text: `Order one ${kind} and one ${other} for at most ${euros(budgetCents)} together.`,
    expected: { wishes: [{ kind }, { kind: other }], total_cents_max: budgetCents },
  };
}

function withVoucher({ kind, kindIndex, round }: Place): Goal {
  const { seller } = at(productsOf(kind), kindIndex + round);
  const code = vouchers.find((voucher) => voucher.seller === seller)?.code ?? '';
  return {
    goal_text: `Order the cheapest ${kind} that ${seller} sells, with the voucher for their products.`,
    expected: { wishes: [{ kind, seller, best: 'cheapest' }], voucher: code },
  };
}

function fromOneShop({ kind, kindIndex, round }: Place): Goal {
  const other = kindAt(kindIndex + 1 + round);
  const cents = sellers.map((seller) => cheapestOf(kind, seller) + cheapestOf(other, seller));
  const budgetCents = Math.min(...cents);
  return {
    goal_text: `Order a ${kind} and a ${other} from one and the same shop, for at most ${euros(budgetCents)} together.`,
    expected: {
      wishes: [{ kind }, { kind: other }],
      total_cents_max: budgetCents,
      one_seller: true,
    },
  };
}

function cheapestOf(kind: string, seller: string): number {
  const own = productsOf(kind).filter((product) => product.seller === seller);
  return Math.min(...own.map(({ priceCents }) => priceCents));
}

function kindAt(index: number): string {
  return productKinds[index % productKinds.length] ?? '';
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
