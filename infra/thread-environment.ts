import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * All that a thread is told of the environment: where compiled code lies. Each thread has a cache of its
 * own; one without loads the compiler of types again, for 30 ms of processor time and 18 MB.
 */
export function threadEnvironment(): NodeJS.Dict<string> {
  // A folder of this version of Node's, in the one that the variable names.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
