/**
 * Writes the CycloneDX list of what a production install holds, from package-lock.json alone.
 *
 * `npm sbom --omit=dev` leaves out what production and development both need (zod, yaml, debug …), and
 * calls a package development's that both have in folders of their own. So npm lists all, and what
 * the lock has for development alone is taken out here.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const outputBytesMax = 64 * 1024 * 1024;

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url)));
const shipped = new Set(
  Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(
      ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`,
    ),
);
const isShipped = ({ purl }) => shipped.has(decodeURIComponent(purl.replace('pkg:npm/', '')));

const listed = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  ...{ cwd, encoding: 'utf8', maxBuffer: outputBytesMax },
  // npm is a script there.
  shell: process.platform === 'win32',
});
const all = JSON.parse(listed);
const components = all.components.filter(isShipped);
const kept = new Set([all.metadata.component, ...components].map((each) => each['bom-ref']));
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
process.stdout.write(`${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`);
