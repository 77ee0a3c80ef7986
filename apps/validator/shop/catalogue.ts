import { z } from 'zod';

/** One product of a shop, as a line of the pack's catalogue. Prices are whole cents. */
const product = z.object({
  productId: z.string().min(1),
  kind: z.string(),
  title: z.string(),
  brand: z.string(),
  colour: z.string(),
  priceCents: z.int().min(0),
  rating: z.number(),
  seller: z.string(),
});

export type Product = Readonly<z.infer<typeof product>>;

const voucher = z.object({
  code: z.string().min(1),
  seller: z.string(),
  percent: z.int().min(1).max(99),
});

/** Takes a share off the products of one seller. */
export type Voucher = Readonly<z.infer<typeof voucher>>;

export interface Catalogue {
  readonly products: readonly Product[];
  readonly vouchers: readonly Voucher[];
}

/** Which tools a pack's agents are given and which verifier grades them: ours, in this version. */
export const shopContract = 'corner-shop-2';

/** By their paths below the pack's root folder. */
export const cataloguePaths = {
  products: 'data/catalog/products.jsonl',
  vouchers: 'data/catalog/vouchers.jsonl',
} as const;

/** @throws when a line is none of a catalogue */
export function parseCatalogue(files: {
  readonly products: string;
  readonly vouchers: string;
}): Catalogue {
  return {
    products: lines(files.products).map((line) => product.parse(JSON.parse(line))),
    vouchers: lines(files.vouchers).map((line) => voucher.parse(JSON.parse(line))),
  };
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** What is to be paid, with a voucher on what it is for; cents are rounded in the shopper's favour. */
export function totalCents(products: readonly Product[], voucher: Voucher | undefined): number {
  const cents = products.map(({ priceCents, seller }) =>
    voucher !== undefined && voucher.seller === seller
      ? Math.floor((priceCents * (100 - voucher.percent)) / 100)
      : priceCents,
  );
  return cents.reduce((sum, each) => sum + each, 0);
}
