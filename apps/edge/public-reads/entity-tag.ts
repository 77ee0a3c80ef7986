import { hash } from 'node:crypto';

/**
 * Weak (RFC 9110, 8.8.1): it names the same content in every content coding, and nothing here
 * answers ranges, for which alone a strong one would be needed.
 */
export function entityTagOf(content: Uint8Array | string): string {
  return tagOf(hash('sha256', content, 'base64url'));
}

/** The same tag, of content whose SHA-256 is known as hex. */
export function entityTagOfHash(sha256: string): string {
  return tagOf(Buffer.from(sha256, 'hex').toString('base64url'));
}

function tagOf(hashText: string): string {
  return `W/"${hashText.slice(0, 22)}"`;
}

const tagsText = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Whether `If-None-Match` holds the tag: by weak comparison (RFC 9110, 8.8.3.2 and 13.1.2), in which
 * `W/` means nothing. A header that is no list of tags holds none, so that the answer is whole.
 */
export function isKnownTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.replace(/^W\//, '');
  const tags = [...ifNoneMatch.matchAll(tagsText)];
  if (!/^[\s,]*$/.test(ifNoneMatch.replaceAll(tagsText, ''))) return false;
  return tags.some(([text]) => text.replace(/^W\//, '') === opaque);
}
