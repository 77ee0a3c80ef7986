import type { ObjectInspector } from '../../../infra/ports/object-inspector.ts';
import type { NamedFile } from './file-kind.ts';

/** What became of one file; `why` is what a person is told. */
export type Look =
  | { readonly outcome: 'missing' | 'there' }
  | { readonly outcome: 'unread' | 'wrong'; readonly key: string; readonly why: string };

/**
 * 1. `missing` is said only where the store said it of every place, for the object itself.
 * 2. `wrong` is said only of bytes that the store gave out, or of a size that it named.
 * 3. A store that does not say is `unread`, whatever the reason.
 */
export async function lookFor(
  file: NamedFile,
  { store, isHashed }: { readonly store: ObjectInspector; readonly isHashed: boolean },
): Promise<Look> {
  for (const key of file.keys) {
    try {
      const sizeBytes = await store.size(key);
      if (sizeBytes === undefined) continue;
      const why = differenceOf(sizeBytes, file.sizeBytes);
      if (why !== undefined) return { outcome: 'wrong', key, why };
      return isHashed ? await compared(key, file.sha256, store) : { outcome: 'there' };
    } catch (error) {
      return { outcome: 'unread', key, why: troubleOf(error) };
    }
  }
  return { outcome: 'missing' };
}

function differenceOf(sizeBytes: number, namedBytes: number | null): string | undefined {
  if (namedBytes !== null && sizeBytes !== namedBytes) {
    return `has ${sizeBytes.toLocaleString('en')} bytes, not ${namedBytes.toLocaleString('en')}`;
  }
  return sizeBytes === 0 ? 'is empty' : undefined;
}

async function compared(key: string, sha256: string | null, store: ObjectInspector): Promise<Look> {
  if (sha256 === null) return { outcome: 'there' };
  const digest = await store.digest(key);
  if (digest === undefined) return { outcome: 'missing' };
  if (digest.sha256 === sha256) return { outcome: 'there' };
  return { outcome: 'wrong', key, why: `holds other bytes, of SHA-256 ${digest.sha256}` };
}

/** Of what the client says no more than its name and status: its texts may hold headers. */
export function troubleOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown };
  const { name, code, $metadata } = Object(cause) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  const what = String(code ?? name ?? 'no answer');
  return status === undefined ? what : `${status} ${what}`;
}
