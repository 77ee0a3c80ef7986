import { ownAccepted, publishedAccepted } from '../../infra/python/accepted-samples.ts';
import { ownRefused, publishedRefused } from '../../infra/python/refused-samples.ts';

/** Honest and hostile files, all of which CPython compiles. */
export const sampleFiles: readonly Uint8Array[] = [
  ...[...publishedAccepted, ...ownAccepted, ...publishedRefused, ...ownRefused],
].map(({ code }) => Buffer.from(code));
