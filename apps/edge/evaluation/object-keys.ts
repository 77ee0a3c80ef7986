/** Where things lie in the bucket. One place, since URIs in stored results name these keys. */
export const codeKey = (sha256: string) => `code/${sha256}.py`;
export const packKey = (sha256: string) => `packs/${sha256}.tar.gz`;
export const deliveryKey = (sha256: string) => `deliveries/${sha256}.tar.gz`;
export const artifactKey = (sha256: string) => `episodes/${sha256}`;

export const logsFolder = (evalRunId: string) => `logs/${evalRunId}/`;
export const problemLogsFolder = (evalRunId: string, problemId: string) =>
  `${logsFolder(evalRunId)}${problemId}/`;
export const logsKey = (evalRunId: string, problemId: string, upload: string) =>
  `${problemLogsFolder(evalRunId, problemId)}${upload}.gz`;
/** Of the copy that is given out; nobody gets a URL to write it. */
export const keptKey = (uploadedKey: string) => `kept/${uploadedKey}`;

/**
 * Validators send the keys of logs themselves. One is followed only into the folder of the very run
 * (or problem of the run), whose keys nobody but its holder ever got a URL for.
 */
export function logsKeyWithin(folder: string, key: string | null): string | undefined {
  if (key === null || !key.startsWith(folder)) return undefined;
  return /^[\w/-]+\.gz$/.test(key) ? key : undefined;
}

export const artifactUri = (bucket: string, sha256: string) =>
  `s3://${bucket}/${artifactKey(sha256)}`;
