import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { type Product, totalCents } from '../../../apps/validator/shop/catalogue.ts';
import { type Expectation, gradeOrder } from '../../../apps/validator/shop/grade.ts';
import { searchProducts } from '../../../apps/validator/shop/search-products.ts';
import { type Order, Shopping } from '../../../apps/validator/shop/shopping.ts';
import { products, vouchers } from '../../../apps/world/demo/catalogue.ts';
import {
  qualifyingTaskIds,
  type ShopTask,
  shopTasks,
} from '../../../apps/world/demo/shop-tasks.ts';

const catalogue = { products, vouchers };
const about = { products, calls: 4 };

/** Every order of as many products as the task wishes for, with and without each voucher. */
function* ordersFor({ expected }: ShopTask): Generator<Order> {
  const pools = expected.wishes.map(({ kind }) => products.filter((each) => each.kind === kind));
  const [first = [], second = [undefined]] = pools;
  for (const one of first) {
    for (const other of second) {
      for (const voucher of [undefined, ...vouchers]) {
        const bought = other === undefined ? [one] : [one, other];
        yield { products: bought, voucher, totalCents: totalCents(bought, voucher) };
      }
    }
  }
}

for (const family of new Set(shopTasks.map((task) => task.family))) {
  test(`every task of ${family} has a right order, and most orders are wrong`, (t) => {
    for (const task of shopTasks.filter((each) => each.family === family)) {
      const grades = [...ordersFor(task)].map((order) => gradeOrder(task.expected, order, about));
      const right = grades.filter(({ isCorrect }) => isCorrect).length;

      t.true(right > 0, task.goal_text);
      t.true(right / grades.length < 0.4, `${task.goal_text}: ${right} of ${grades.length}`);
    }
  });
}

test('30 tasks qualify and 120 are held out, as many of each family', (t) => {
  const qualifying = new Set(qualifyingTaskIds);
  const counts = Map.groupBy(shopTasks, ({ family }) => family);

  t.is(qualifying.size, 30);
  t.is(shopTasks.length, 150);
  for (const tasks of counts.values()) {
    t.is(tasks.length, 25);
    t.is(tasks.filter(({ task_id: id }) => qualifying.has(id)).length, 5);
  }
});

const pair: ShopTask['expected'] = {
  wishes: [{ kind: 'mug' }, { kind: 'scarf' }],
  total_cents_max: 100_000,
  one_seller: true,
};
const of = (kind: string, seller: string) => {
  const found = products.find((each) => each.kind === kind && each.seller === seller);
  if (found === undefined) throw new Error(`nothing of ${kind} by ${seller}`);
  return found;
};
const orderOf = (...bought: readonly (typeof products)[number][]): Order => ({
  products: bought,
  voucher: undefined,
  totalCents: totalCents(bought, undefined),
});

test('each check says what was wrong with an order', (t) => {
  const mug = of('mug', 'Mill Street');
  const scarf = of('scarf', 'Mill Street');
  const other = of('scarf', 'Old Wharf');
  const checks = (order: Order | undefined, expected = pair) =>
    gradeOrder(expected, order, about).checks;

  t.like(checks(orderOf(mug, scarf)), { wanted_products: 'passed', one_seller: 'passed' });
  t.like(checks(orderOf(mug, other)), { one_seller: 'failed' });
  t.like(checks(orderOf(mug)), { wanted_products: 'failed' });
  t.like(checks(orderOf(mug, scarf, scarf)), { wanted_products: 'failed' });
  t.like(checks(orderOf(mug, mug)), { wanted_products: 'failed' });
  t.like(checks(orderOf(mug, scarf), { ...pair, total_cents_max: 1 }), { budget: 'failed' });
  t.like(checks(orderOf(mug, scarf), { ...pair, voucher: 'X' }), { voucher: 'failed' });
  const [voucher, another] = vouchers;
  const paid = { ...orderOf(mug, scarf), voucher };
  t.like(checks(paid, { ...pair, voucher: another?.code }), { voucher: 'failed' });
  t.like(checks(paid, { ...pair, voucher: voucher?.code }), { voucher: 'passed' });
  t.deepEqual(checks(undefined), { order_placed: 'failed', wanted_products: 'unknown' });
});

// Goals say "at most" and "at least": who buys what is just that has done as asked, and is paid for it.
test('what is exactly as a limit says is within it', (t) => {
  const mug = of('mug', 'Mill Street');
  const scarf = of('scarf', 'Mill Street');
  const order = orderOf(mug, scarf);
  const { priceCents, rating } = mug;
  const isMet = (wish: object, max = order.totalCents) =>
    gradeOrder(
      { ...pair, wishes: [{ kind: 'mug', ...wish }, { kind: 'scarf' }], total_cents_max: max },
      order,
      about,
    ).isCorrect;

  t.true(isMet({ price_cents_max: priceCents, rating_min: rating }));
  t.false(isMet({ price_cents_max: priceCents - 1 }));
  t.false(isMet({ rating_min: rating + 0.1 }));
  t.false(isMet({}, order.totalCents - 1));
});

// The looser wish of two took what the stricter one needed, if that had been put into the cart first.
test('the same goods get the same grade, in whichever order they were bought', (t) => {
  const mugs = products.filter(({ kind }) => kind === 'mug');
  const plain = { kind: 'mug' };
  for (const strict of [
    { kind: 'mug', colour: mugs[0]?.colour },
    { kind: 'mug', best: 'cheapest' as const },
    { kind: 'mug', best: 'best_rated' as const },
  ]) {
    const isMet = (bought: readonly Product[], wishes: Expectation['wishes']) =>
      gradeOrder({ wishes }, orderOf(...bought), about).isCorrect;
    const chosen = mugs.find((each) => isMet([each], [strict]));
    const other = mugs.find((each) => !isMet([each], [strict]));
    if (chosen === undefined || other === undefined) return t.fail('there are mugs of both sorts');
    for (const bought of [
      [chosen, other],
      [other, chosen],
    ]) {
      t.true(isMet(bought, [plain, strict]));
      t.true(isMet(bought, [strict, plain]));
      t.false(isMet(bought, [strict, strict]));
    }
  }
});

test('a right order is paid in full for few calls and never below the order itself', (t) => {
  const order = orderOf(of('mug', 'Mill Street'), of('scarf', 'Mill Street'));
  const paid = (calls: number) => gradeOrder(pair, order, { products, calls }).rewardMicro;

  t.is(paid(1), 1_000_000);
  t.is(paid(8), 1_000_000);
  t.is(paid(28), 900_000);
  t.is(paid(48), 800_000);
  t.is(paid(10_000), 800_000);
  t.is(gradeOrder(pair, undefined, about).rewardMicro, null);
});

for (const path of [
  'apps/validator/sandbox/inside/shop_tools.py',
  'infra/guides/miners.md',
  'infra/reference/reference-validator.md',
]) {
  test(`a right order is paid as ${path} says`, async (t) => {
    const text = await readFile(join(import.meta.dirname, '../../..', path), 'utf8');
    const said = [
      ...text.matchAll(/(\d+) calls(?: or more)? (\d\.\d+)/g),
      ...text.matchAll(/^\| (\d+)(?: or \w+)? \| (\d\.\d+) \|$/gm),
    ].map(([, calls, reward]) => [Number(calls), Number(reward)] as const);
    const order = orderOf(of('mug', 'Mill Street'), of('scarf', 'Mill Street'));

    for (const calls of [8, 28, 48])
      t.true(
        said.some(([each]) => each === calls),
        `${calls}`,
      );
    for (const [calls, reward] of said) {
      const { rewardMicro } = gradeOrder(pair, order, { products, calls });
      t.is(rewardMicro, Math.round(reward * 1_000_000), `${calls} calls`);
    }
  });
}

test('a shop is asked with no text of megabytes', (t) => {
  const search = (query: string) => new Shopping(catalogue).call('search', { query });

  t.deepEqual(Object.keys(search('m'.repeat(131_072)) ?? {}), ['result']);
  t.deepEqual(Object.keys(search('m'.repeat(131_073)) ?? {}), ['error']);
});

test('what an agent is told of an id that is cut is text', (t) => {
  const id = `x${'\u{1f6d2}'.repeat(100)}`;
  for (const tool of ['product', 'cart_add', 'cart_remove']) {
    const told = JSON.stringify(new Shopping(catalogue).call(tool, { product_id: id }));
    t.regex(told, /x\u{1f6d2}{49}\ufffd/u);
  }
});

test('the search finds what shares words, in an order that never changes', (t) => {
  const found = searchProducts(products, 'One GREEN kettle by Alder!', 5);

  t.is(found.length, 5);
  t.is(found[0]?.kind, 'kettle');
  t.deepEqual(found, searchProducts(products.toReversed(), 'green alder kettle one by', 5));
  t.deepEqual(searchProducts(products, 'nothing of this', 5), []);
});

test('a visit to the shop has one order, and the shop keeps what was ordered', (t) => {
  const shopping = new Shopping(catalogue);
  const [voucher] = vouchers;
  const mug = of('mug', voucher?.seller ?? '');

  t.deepEqual(shopping.call('cart_checkout', {}), { error: 'the cart is empty' });
  t.deepEqual(shopping.call('cart_add', { product_id: mug.productId }), {
    result: [mug.productId],
  });
  t.deepEqual(shopping.call('cart_add', { product_id: 'no' }), { error: 'no product no' });
  t.deepEqual(shopping.call('cart_remove', { product_id: 'no' }), {
    error: 'no is not in the cart',
  });
  t.deepEqual(shopping.call('cart_use_voucher', { code: 'no' }), {
    error: 'there is no such voucher',
  });
  t.deepEqual(shopping.call('cart_use_voucher', { code: voucher?.code }), { result: voucher });
  t.truthy(shopping.call('cart_checkout', {}));
  t.deepEqual(shopping.call('cart_add', { product_id: mug.productId }), {
    error: 'the order is placed; a task has one',
  });
  t.is(shopping.order?.totalCents, Math.floor(mug.priceCents * 0.9));
  t.is(shopping.call('delete_everything', {}), undefined);
  t.is(shopping.call('constructor', {}), undefined);
});

test('a cart holds twenty pieces, and gives them back one by one', (t) => {
  const shopping = new Shopping(catalogue);
  const { productId } = of('mug', 'Mill Street');
  const ask = (tool: string) => shopping.call(tool, { product_id: productId });
  for (let pieces = 1; pieces <= 20; pieces += 1)
    t.deepEqual(ask('cart_add'), { result: Array(pieces).fill(productId) });

  t.deepEqual(ask('cart_add'), { error: 'a cart holds 20 pieces' });
  t.deepEqual(ask('cart_remove'), { result: Array(19).fill(productId) });
  t.is(shopping.cart.length, 19);
});

const toolNames = [
  ...['search', 'product', 'vouchers', 'cart_add', 'cart_remove', 'cart_items', 'cart_total'],
  ...['cart_use_voucher', 'cart_checkout'],
];
const argumentNames = ['query', 'limit', 'product_id', 'code'];
/** What throws where it is made a text or a number. */
const unreadable = { toString: 1, valueOf: 1 };

for (const [tool, given] of [
  ['search', { query: unreadable, limit: 1 }],
  ['search', { query: 'mug', limit: unreadable }],
  ['search', { query: 'mug', limit: '5' }],
  ['search', { query: ['mug'] }],
  ['search', {}],
  ['product', { product_id: unreadable }],
  ['product', {}],
  ['cart_add', { product_id: unreadable }],
  ['cart_remove', { product_id: unreadable }],
  ['cart_remove', { product_id: null }],
  ['cart_use_voucher', { code: unreadable }],
] as const) {
  test(`${tool} asked with ${JSON.stringify(given)} says what is wrong with it`, (t) => {
    const answer = new Shopping(catalogue).call(tool, given);

    t.regex((answer as { error: string }).error, /^(query|limit|product_id|code): /);
  });
}

test('no JSON that a tool is asked with makes the shop throw', (t) => {
  const name = fc.oneof(
    fc.constantFrom('toString', 'valueOf', '__proto__', 'constructor', 'length', 'then'),
    fc.string(),
  );
  const { value } = fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('mug', products[0]?.productId, vouchers[0]?.code),
      fc.constantFrom(-1, 0, 1.5, 5e-324, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE),
    ),
    value: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const given = fc.dictionary(fc.oneof(fc.constantFrom(...argumentNames), name), value);
  const calls = fc.array(fc.tuple(fc.constantFrom(...toolNames), given), { maxLength: 5 });
  // As JSON brings it: objects with a prototype, and no number beyond all.
  const brought = calls.map((all): typeof all => JSON.parse(JSON.stringify(all)));
  const property = fc.property(brought, (all) => {
    const shopping = new Shopping(catalogue);
    return all.every(([tool, asked]) => {
      const answer = shopping.call(tool, asked);
      return answer !== undefined && JSON.stringify(answer).length > 0;
    });
  });

  t.notThrows(() => fc.assert(property, { numRuns: 2_000 }));
});
