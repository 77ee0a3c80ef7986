/**
 * What any program needs of the environment to start here at all, and nothing of ours: the path, the
 * home, and the library that the bootstrap may have brought for Node.
 */
export function systemEnv(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LD_LIBRARY_PATH'].map((key) => [key, process.env[key]] as const);
  return Object.fromEntries(
    kept.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
