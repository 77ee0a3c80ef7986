import type { SourceFile } from './source-file.ts';
import type { Token } from './token.ts';

const substitute = Buffer.from('pass ');

/**
 * Ruff 0.17 takes no `raise` without an exception before a semicolon, CPython does. As a `pass` of
 * the same length it is as good to every rule, and all offsets stay.
 */
export function withoutBareRaises(source: SourceFile, tokens: readonly Token[]): string {
  const bare = tokens.filter(
    ({ kind }, index) => kind === 'Raise' && tokens[index + 1]?.kind === 'Semi',
  );
  if (bare.length === 0) return source.text;
  const bytes = Buffer.from(source.bytes);
  for (const { start } of bare) substitute.copy(bytes, start);
  return bytes.toString('utf8');
}
