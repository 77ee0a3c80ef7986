export type Coding = 'br' | 'gzip' | 'identity';

/** The smaller result first, for those that a client likes equally well. */
const compressing = ['br', 'gzip'] as const;

/**
 * What the client takes best (RFC 9110, 12.5.3). Without the header, and where it excludes all that
 * we know, the content goes as it is: better than a refusal that no route promises.
 *
 * @param isWorth whether compressing pays; who excludes the plain content gets it compressed anyhow
 */
export function chosenCoding(acceptEncoding: string | undefined, isWorth: boolean): Coding {
  const weights = weightsOf(acceptEncoding ?? '');
  const others = weights.get('*');
  const plain = weights.get('identity') ?? others;
  if (!isWorth && plain !== 0) return 'identity';
  let best: Coding = 'identity';
  // Plain content that nobody mentions is taken, but liked least.
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of compressing) {
    const weight = weights.get(coding) ?? others ?? 0;
    const isLiked = best === 'identity' ? weight >= bestWeight : weight > bestWeight;
    if (weight === 0 || !isLiked) continue;
    best = coding;
    bestWeight = weight;
  }
  return best;
}

const elementText =
  /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** By lower-case coding; an element that is malformed says nothing. */
function weightsOf(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(',')) {
    const [, coding = '', weight = '1'] = elementText.exec(element) ?? [];
    if (coding === '') continue;
    const name = coding.toLowerCase();
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight));
  }
  return weights;
}
