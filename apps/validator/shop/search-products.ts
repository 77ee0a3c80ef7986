import type { Product } from './catalogue.ts';

/**
 * The products that share words with a query, the most first; where they share as many, in the order
 * of their ids. Plain on purpose: what is asked for is for the agent to work out.
 */
export function searchProducts(
  products: readonly Product[],
  query: string,
  limit: number,
): readonly Product[] {
  const wanted = new Set(wordsOf(query));
  return products
    .map((product) => ({ product, hits: hitsOf(product, wanted) }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || compare(a.product.productId, b.product.productId))
    .slice(0, limit)
    .map(({ product }) => product);
}

function hitsOf({ title, kind, seller }: Product, wanted: ReadonlySet<string>): number {
  const words = new Set(wordsOf(`${title} ${kind} ${seller}`));
  return [...words].filter((word) => wanted.has(word)).length;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
