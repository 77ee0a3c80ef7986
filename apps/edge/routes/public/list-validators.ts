import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { listValidators as readValidators } from '../../reads/validators.ts';
import { formatInstantOrNull, instant } from '../../wire/instant.ts';

const validator = z
  .object({
    validator_hotkey: z.string(),
    validator_name: z.string().nullable(),
    status: z.enum(['active', 'idle', 'offline']),
    last_seen_at: instant.nullable(),
    uid: z.number().int().nullable(),
    stake: z.number().nullable(),
    current_runs: z.number().int(),
    completed_24h: z.number().int(),
    stale_24h: z.number().int(),
    service_versions: z.record(z.string(), z.string()),
    cpu_pct: z.number().nullable(),
    ram_pct: z.number().nullable(),
    disk_pct: z.number().nullable(),
    docker_container_count: z.number().int().nullable(),
  })
  .meta({ id: 'Validator' });

export const listValidators = endpoint({
  method: 'get',
  path: '/v1/public/validators',
  role: 'public',
  owner: 'nobody',
  summary: 'Validators that are not banned, with what they do and when they were last seen',
  trafficClass: 2,
  cache: liveRead,
  response: z.array(validator),
  faults: [],

  async handle(_request, { sql }) {
    return (await readValidators(sql)).map((row) => ({
      validator_hotkey: row.validatorHotkey,
      validator_name: null,
      status: row.status,
      last_seen_at: formatInstantOrNull(row.lastSeenAt),
      uid: row.uid,
      stake: row.stake === null ? null : Number(row.stake),
      current_runs: row.currentRuns,
      completed_24h: row.completed24h,
      stale_24h: row.stale24h,
      service_versions: row.serviceVersions,
      cpu_pct: row.cpuPct,
      ram_pct: row.ramPct,
      disk_pct: row.diskPct,
      docker_container_count: row.dockerContainerCount,
    }));
  },
});
