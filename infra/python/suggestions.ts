/** What a miner probably meant, or may use instead of what is refused. */
import { nearestKey } from '../config/nearest-key.ts';
import { listedAttributes, listedModules } from './allowed-modules.ts';

const attributesShownMax = 6;

/** "did you mean random.randint?", "of os only environ, getenv and path may be used" */
export function insteadOfAttribute(module: string, attribute: string): string | null {
  const listed = listedAttributes(module);
  const meant = nearest(attribute, listed);
  if (meant !== undefined) return `did you mean ${module}.${meant}?`;
  if (module === 'os') return 'of os, os.getenv, os.environ.get and os.path are allowed';
  if (listed.length === 0 || listed.length > attributesShownMax) return null;
  return `of ${module} the following is allowed: ${listed.join(', ')}`;
}

// A miner may import any name, one of those that every object of ours answers to as well.
const replacements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pathlib: 'os.path is allowed',
    'urllib.request': 'urllib.parse is allowed, and the packages of the sandbox fetch pages',
    pickle: 'json is allowed',
    codecs: 'str.encode and bytes.decode are allowed',
    locale: 'format prices with f-strings such as f"{price:,.2f}"',
    numpy: 'only the standard library is there; math and statistics are allowed',
    pandas: 'only the standard library is there; csv and collections are allowed',
    requests: 'the packages of the sandbox fetch pages',
    httpx: 'the packages of the sandbox fetch pages',
    aiohttp: 'the packages of the sandbox fetch pages',
    argparse: 'an agent has no command line; os.getenv is allowed',
    sys: 'of sys, exit, stdout.write, stderr and version_info are allowed',
  }),
);

/** What to import instead of an insecure library, if there is something to say. */
export function insteadOfLibrary(library: string): string | null {
  const [top = ''] = library.split('.');
  const known = replacements.get(library) ?? replacements.get(top);
  if (known !== undefined) return known;
  // `ctypes` is no slip of `types`: slips seldom hit the first letter.
  const alike = listedModules().filter((module) => module.startsWith(library.charAt(0)));
  const meant = nearest(library, alike);
  return meant === undefined ? null : `did you mean '${meant}'?`;
}

function nearest(name: string, listed: readonly string[]): string | undefined {
  const upper = nearestKey(
    name,
    listed.map((each) => each.toUpperCase()),
  );
  return listed.find((each) => each.toUpperCase() === upper);
}
