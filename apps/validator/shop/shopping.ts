import { z } from 'zod';
import type { ToolAnswer } from '../sandbox/run-agent.ts';
import { type Catalogue, type Product, totalCents, type Voucher } from './catalogue.ts';
import { searchProducts } from './search-products.ts';
import { type Tool, text, toolAsked } from './tool.ts';

/** The one order of a task, as the shop took it. */
export interface Order {
  readonly products: readonly Product[];
  readonly voucher: Voucher | undefined;
  readonly totalCents: number;
}

/** One tool call with its answer. */
export interface Step {
  readonly tool: string;
  readonly arguments: Given;
  readonly answer: ToolAnswer;
  readonly at_ms: number;
}

type Given = Readonly<Record<string, unknown>>;

const resultsMax = 50;
const cartMax = 20;

/**
 * One visit to the shop, outside of the sandbox: the agent asks, the shop keeps the cart. What is
 * graded is what stands here, so nothing that an agent says of itself counts.
 */
export class Shopping {
  readonly #catalogue: Catalogue;
  readonly #byId: ReadonlyMap<string, Product>;
  #cart: readonly Product[] = [];
  #voucher: Voucher | undefined;
  #order: Order | undefined;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#byId = new Map(catalogue.products.map((product) => [product.productId, product]));
  }

  get order(): Order | undefined {
    return this.#order;
  }

  get cart(): readonly Product[] {
    return this.#cart;
  }

  /** Carries one call out; undefined for a tool that the shop does not have. */
  call(tool: string, given: Given): ToolAnswer | undefined {
    if (!Object.hasOwn(this.#tools, tool)) return undefined;
    if (tool.startsWith('cart_') && this.#order !== undefined && !readOnly.has(tool)) {
      return { error: 'the order is placed; a task has one' };
    }
    return this.#tools[tool]?.(given);
  }

  readonly #tools: Readonly<Record<string, Tool>> = {
    search: toolAsked({ query: text, limit: z.number().default(1) }, ({ query, limit }) => {
      const count = Math.min(resultsMax, Math.max(1, limit));
      const found = searchProducts(this.#catalogue.products, query, count);
      return { result: found.map(shown) };
    }),
    product: toolAsked({ product_id: text }, ({ product_id: id }) =>
      this.#withProduct(id, (product) => ({ result: shown(product) })),
    ),
    vouchers: () => ({ result: this.#catalogue.vouchers }),
    cart_add: toolAsked({ product_id: text }, ({ product_id: id }) =>
      this.#withProduct(id, (product) => {
        if (this.#cart.length >= cartMax) return { error: `a cart holds ${cartMax} pieces` };
        this.#cart = [...this.#cart, product];
        return this.#ids();
      }),
    ),
    cart_remove: toolAsked({ product_id: text }, ({ product_id: id }) => {
      const at = this.#cart.findIndex(({ productId }) => productId === id);
      if (at < 0) return { error: `${named(id)} is not in the cart` };
      this.#cart = this.#cart.toSpliced(at, 1);
      return this.#ids();
    }),
    cart_items: () => this.#ids(),
    cart_total: () => ({ result: totalCents(this.#cart, this.#voucher) / 100 }),
    cart_use_voucher: toolAsked({ code: text }, ({ code }) => {
      const voucher = this.#catalogue.vouchers.find((known) => known.code === code);
      if (voucher === undefined) return { error: 'there is no such voucher' };
      this.#voucher = voucher;
      return { result: voucher };
    }),
    cart_checkout: () => this.#checkOut(),
  };

  #checkOut(): ToolAnswer {
    if (this.#cart.length === 0) return { error: 'the cart is empty' };
    const total = totalCents(this.#cart, this.#voucher);
    this.#order = { products: this.#cart, voucher: this.#voucher, totalCents: total };
    return {
      result: { total: total / 100, product_ids: this.#cart.map((each) => each.productId) },
    };
  }

  #ids(): ToolAnswer {
    return { result: this.#cart.map(({ productId }) => productId) };
  }

  #withProduct(id: string, then: (product: Product) => ToolAnswer): ToolAnswer {
    const product = this.#byId.get(id);
    if (product === undefined) return { error: `no product ${named(id)}` };
    return then(product);
  }
}

const readOnly = new Set(['cart_items', 'cart_total']);

/** A cut must not leave half of a surrogate pair, on which an agent ends that prints what it is told. */
function named(id: string): string {
  return id.slice(0, 100).toWellFormed();
}

/** As agents see it. */
function shown({ productId, priceCents, ...rest }: Product) {
  return { product_id: productId, ...rest, price: priceCents / 100 };
}
