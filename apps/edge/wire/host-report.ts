import { z } from 'zod';

const percent = z.number().min(0).max(100).nullable().optional();

/** What a validator may tell of its host with a claim or heartbeat; every field may be absent. */
export const hostReport = z
  .object({
    service_versions: z.record(z.string().max(64), z.string().max(128)).nullable().optional(),
    cpu_pct: percent,
    ram_pct: percent,
    disk_pct: percent,
    docker_container_count: z.number().int().min(0).max(1_000_000).nullable().optional(),
  })
  .nullable()
  .optional();

export type HostReport = z.infer<typeof hostReport>;
