import type { Sql } from '../../../infra/ports/sql.ts';

export const tables = ['pack_delivery'] as const;

export interface Delivery {
  readonly packSha256: string;
  readonly deliveryKey: string;
  readonly deliverySha256: string;
  readonly sizeBytes: number;
  /** What was registered and is not in the store any more. */
  readonly lostSha256: string | null;
}

/** The first registration stays, unless it is the one that was lost; later ones are told of it. */
export async function insertDelivery(
  sql: Sql,
  delivery: Delivery,
): Promise<{ readonly deliverySha256: string; readonly sizeBytes: number }> {
  const [row] = await sql<{ deliverySha256: string; sizeBytes: number }[]>`
    insert into pack_delivery (pack_sha256, delivery_key, delivery_sha256, size_bytes, created_at)
    values (${delivery.packSha256}, ${delivery.deliveryKey}, ${delivery.deliverySha256},
      ${delivery.sizeBytes}, rt.clock())
    on conflict (pack_sha256, delivery_key) do update set
      (delivery_sha256, size_bytes) = (
        select kept.delivery_sha256, kept.size_bytes
        from (values (excluded.delivery_sha256, excluded.size_bytes, true),
          (pack_delivery.delivery_sha256, pack_delivery.size_bytes, false))
          kept (delivery_sha256, size_bytes, is_new)
        where kept.is_new = (pack_delivery.delivery_sha256 is not distinct from ${delivery.lostSha256}))
    returning delivery_sha256 as "deliverySha256", size_bytes::float8 as "sizeBytes"`;
  if (row === undefined) throw new Error('a pack delivery was neither inserted nor found');
  return row;
}
