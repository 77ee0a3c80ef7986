/** Fixed for ever: the number of a key's partition is stored in its rows. */
export const evalPartitions = 64;

/** FNV-1a, 32 bits, over the UTF-8 bytes of `key` (lower-case UUID text for agent versions). */
export function fnv1a32(key: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(key)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}

export function evalPartitionOf(agentVersionId: string): number {
  return fnv1a32(agentVersionId) % evalPartitions;
}

export const racePartitions = 4;

/** All races of a suite are decided by one owner. */
export function racePartitionOf(suiteId: number): number {
  return suiteId % racePartitions;
}
