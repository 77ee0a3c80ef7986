import type { Product, Voucher } from '../../validator/shop/catalogue.ts';

interface Kind {
  readonly name: string;
  readonly noun: string;
  readonly baseCents: number;
}

const kinds: readonly Kind[] = [
  { name: 'kettle', noun: 'Kettle 1.5 l', baseCents: 2900 },
  { name: 'lamp', noun: 'Desk Lamp', baseCents: 3400 },
  { name: 'backpack', noun: 'Day Backpack 20 l', baseCents: 4900 },
  { name: 'bottle', noun: 'Steel Bottle 0.7 l', baseCents: 1800 },
  { name: 'umbrella', noun: 'Folding Umbrella', baseCents: 2200 },
  { name: 'notebook', noun: 'Notebook A5 Dotted', baseCents: 900 },
  { name: 'headphones', noun: 'On-Ear Headphones', baseCents: 5900 },
  { name: 'mug', noun: 'Stoneware Mug', baseCents: 1200 },
  { name: 'scarf', noun: 'Wool Scarf', baseCents: 3100 },
  { name: 'charger', noun: 'USB-C Charger 45 W', baseCents: 2600 },
];

const brands = ['Alder', 'Birch', 'Cedar', 'Damson', 'Elm', 'Fir', 'Gorse', 'Hazel'] as const;
const colours = ['black', 'white', 'green', 'blue', 'red', 'grey'] as const;
export const sellers = ['Harbour Goods', 'Corner Shop', 'Mill Street', 'Old Wharf'] as const;

/** Every kind from every brand; colours, prices and sellers follow from the position alone. */
export const products: readonly Product[] = kinds.flatMap((kind, row) =>
  brands.map((brand, column) => {
    const colour = pick(colours, row + column * 2);
    return {
      productId: `shop-${String(row * brands.length + column + 1).padStart(3, '0')}`,
      kind: kind.name,
      title: `${brand} ${kind.noun}, ${colour}`,
      brand,
      colour,
      // A third up or down around the kind's price, never two equal ones within a kind.
      priceCents: Math.round(kind.baseCents * (0.7 + ((column * 5 + row) % 8) * 0.09)),
      rating: 3 + ((row * 3 + column * 7) % 20) / 10,
      seller: pick(sellers, row + column),
    };
  }),
);

export const productKinds: readonly string[] = kinds.map(({ name }) => name);

export function productsOf(kind: string): readonly Product[] {
  return products.filter((product) => product.kind === kind);
}

/** One of each seller. */
export const vouchers: readonly Voucher[] = sellers.map((seller, index) => ({
  code: `${seller.split(' ')[0]?.toUpperCase()}${10 + index * 5}`,
  seller,
  percent: 10 + index * 5,
}));

function pick<T>(values: readonly T[], index: number): T {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('there is nothing to pick from');
  return value;
}
