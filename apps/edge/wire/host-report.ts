import { z } from 'zod';
import { cutText } from './cut-text.ts';

const nameCharactersMax = 64;
const versionCharactersMax = 128;
const containersMax = 1_000_000;

// Overwritten and not transformed: each parse of a transform leaves something to the collector of garbage,
// and every heartbeat is parsed.
const percent = z
  .number()
  .overwrite((value) => within(value, 100))
  .nullable()
  .optional();

// Not `int()`, which takes no whole number beyond those that are exact.
const containerCount = z
  .number()
  .refine(Number.isInteger, 'must be a whole number')
  .overwrite((value) => within(value, containersMax))
  .meta({ override: { type: 'integer' } })
  .nullable()
  .optional();

const serviceVersions = z
  .record(z.string(), z.unknown())
  .overwrite(shortTexts)
  .nullable()
  .optional();

/**
 * What a validator may tell of its host with a claim or heartbeat; every field may be absent. It is
 * advice to onlookers, and a refused heartbeat costs a lease: so what is of the right type but out of
 * its bounds is kept as near to it as they allow.
 */
export const hostReport = z
  .object({
    service_versions: serviceVersions,
    cpu_pct: percent,
    ram_pct: percent,
    disk_pct: percent,
    docker_container_count: containerCount,
  })
  .nullable()
  .optional();

export type HostReport = z.infer<typeof hostReport>;

function within(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}

/** Anything may stand in the map: what is no text is kept as its JSON, and what is unknown not at all. */
function shortTexts(versions: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, version] of Object.entries(versions)) {
    if (version === null) continue;
    const text = typeof version === 'string' ? version : JSON.stringify(version);
    texts[cutText(name, nameCharactersMax)] = cutText(text, versionCharactersMax);
  }
  return texts;
}
