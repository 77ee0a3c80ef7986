import { shapeOf } from '../../infra/python/code-shape.ts';
import { publishedCode } from '../../infra/python/published-code.ts';
import { loadRuff } from '../../infra/python/ruff.ts';
import { readSourceFile } from '../../infra/python/source-file.ts';
import { type Fingerprints, fingerprintsOf } from '../../machines/submission/fingerprints.ts';

let ruff: ReturnType<typeof loadRuff> | undefined;

/** As the service's thread would read it. */
export function fingerprinted(text: string): Fingerprints {
  ruff ??= loadRuff();
  const source = readSourceFile(Buffer.from(text));
  return fingerprintsOf(shapeOf(source, ruff.tokens(source.text)), publishedCode);
}
