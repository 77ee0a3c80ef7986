import { z } from 'zod';
import type { Product } from './catalogue.ts';
import type { Order } from './shopping.ts';

const wish = z.strictObject({
  kind: z.string(),
  brand: z.string().optional(),
  colour: z.string().optional(),
  seller: z.string().optional(),
  rating_min: z.number().optional(),
  price_cents_max: z.int().optional(),
  /** Of all products that fit the rest of the wish. */
  best: z.enum(['cheapest', 'best_rated']).optional(),
});

/** What a task's line in the pack says of a right order. It never enters the sandbox. */
export const expectation = z.strictObject({
  wishes: z.array(wish).min(1).max(5),
  total_cents_max: z.int().optional(),
  voucher: z.string().optional(),
  one_seller: z.literal(true).optional(),
});

export type Wish = Readonly<z.infer<typeof wish>>;
export type Expectation = Readonly<z.infer<typeof expectation>>;

export type CheckResult = 'failed' | 'passed' | 'unknown';

export interface Verdict {
  readonly isCorrect: boolean;
  readonly checks: Readonly<Record<string, CheckResult>>;
  /** In 10^-6; null unless correct. */
  readonly rewardMicro: number | null;
  readonly components: Readonly<Record<string, number>>;
}

/** Most of the reward is for the order, the rest for not wasting the shop's time. */
const orderMicro = 800_000;
const economyMicro = 200_000;
const callsFree = 8;
const callsMax = 48;

/** Grades what the shop recorded. The same order after as many calls always gets the same grade. */
export function gradeOrder(
  expected: Expectation,
  order: Order | undefined,
  about: { readonly products: readonly Product[]; readonly calls: number },
): Verdict {
  const checks = checksOf(expected, order, about.products);
  const isCorrect = Object.values(checks).every((result) => result === 'passed');
  const economy = economyOf(about.calls);
  if (!isCorrect)
    return { isCorrect, checks, rewardMicro: null, components: { order: 0, economy } };
  const rewardMicro = orderMicro + Math.round(economyMicro * economy);
  return { isCorrect, checks, rewardMicro, components: { order: 1, economy } };
}

function checksOf(
  expected: Expectation,
  order: Order | undefined,
  products: readonly Product[],
): Record<string, CheckResult> {
  if (order === undefined) return { order_placed: 'failed', wanted_products: 'unknown' };
  const isRight = (wanted: Wish, product: Product) =>
    fits(wanted, product) && isBest(wanted, product, products);
  const pairs = matched(expected.wishes, order.products, isRight);
  const holds = (test: (wish: Wish, product: Product) => boolean) =>
    result(pairs?.every(([wanted, product]) => test(wanted, product)));
  const { total_cents_max: totalMax, voucher, one_seller: oneSeller } = expected;
  const has = (wanted: (each: Wish) => unknown) => expected.wishes.some(wanted);
  return {
    order_placed: 'passed',
    // Every wish, and nothing that nobody wished for.
    wanted_products: pairs === undefined ? 'failed' : 'passed',
    ...(has(isPlain) && { constraints: holds(fits) }),
    ...(has(({ best }) => best) && {
      best_choice: holds((wanted, product) => isBest(wanted, product, products)),
    }),
    ...(totalMax !== undefined && { budget: result(order.totalCents <= totalMax) }),
    ...(voucher !== undefined && { voucher: result(order.voucher?.code === voucher) }),
    ...(oneSeller && {
      one_seller: result(new Set(order.products.map(({ seller }) => seller)).size === 1),
    }),
  };
}

function result(holds: boolean | undefined): CheckResult {
  if (holds === undefined) return 'unknown';
  return holds ? 'passed' : 'failed';
}

type Pairs = readonly (readonly [Wish, Product])[];
type Meets = (wanted: Wish, product: Product) => boolean;

/**
 * Each wish with the one product that meets it, in whichever order they were bought. Where not all can be
 * met, with one that fits or is of its kind at least; undefined when kinds are missing or too many.
 */
function matched(
  wishes: readonly Wish[],
  products: readonly Product[],
  isRight: Meets,
): Pairs | undefined {
  if (wishes.length !== products.length) return undefined;
  const isOfKind = (wanted: Wish, { kind }: Product) => kind === wanted.kind;
  return (
    paired(wishes, products, isRight) ??
    paired(wishes, products, fits) ??
    paired(wishes, products, isOfKind)
  );
}

/** Tries all ways, of which five wishes have 120. */
function paired(
  [wanted, ...others]: readonly Wish[],
  products: readonly Product[],
  meets: Meets,
): Pairs | undefined {
  if (wanted === undefined) return [];
  for (const [at, product] of products.entries()) {
    if (!meets(wanted, product)) continue;
    const rest = paired(others, products.toSpliced(at, 1), meets);
    if (rest !== undefined) return [[wanted, product], ...rest];
  }
  return undefined;
}

function isPlain({ kind: _kind, best: _best, ...rest }: Wish): boolean {
  return Object.keys(rest).length > 0;
}

function fits(wanted: Wish, product: Product): boolean {
  const isOf = (asked: string | undefined, value: string) => asked === undefined || asked === value;
  return (
    product.kind === wanted.kind &&
    isOf(wanted.brand, product.brand) &&
    isOf(wanted.colour, product.colour) &&
    isOf(wanted.seller, product.seller) &&
    product.rating >= (wanted.rating_min ?? 0) &&
    product.priceCents <= (wanted.price_cents_max ?? Number.MAX_SAFE_INTEGER)
  );
}

/** Ties are all best. */
function isBest(wanted: Wish, product: Product, products: readonly Product[]): boolean {
  if (wanted.best === undefined) return true;
  if (!fits(wanted, product)) return false;
  const rivals = products.filter((each) => fits(wanted, each));
  return wanted.best === 'cheapest'
    ? rivals.every(({ priceCents }) => priceCents >= product.priceCents)
    : rivals.every(({ rating }) => rating <= product.rating);
}

/** 1 up to a few calls, then falling to 0; in hundredths, so that it is the same everywhere. */
function economyOf(calls: number): number {
  const wasted = Math.max(0, calls - callsFree) / (callsMax - callsFree);
  return Math.round(Math.max(0, 1 - wasted) * 100) / 100;
}
