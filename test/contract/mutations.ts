import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { type CodeRow, codes } from '../spec/codes.ts';
import type { RouteRow } from '../spec/routes/route-row.ts';
import { routes } from '../spec/routes.ts';
import { shapeIdOf } from '../spec/rows.ts';
import { bare, nodeOf } from '../spec/schema-walk.ts';

/** Something that is taken from a copy of the product, and the row of the table that then is untrue. */
export interface Mutation {
  readonly what: string;
  /** Of the route, the answer's field, or the code. */
  readonly rowId: string;
  apply(folder: string): void;
}

export function allMutations(): Readonly<Record<'route' | 'field' | 'code', readonly Mutation[]>> {
  return { route: routeMutations(), field: fieldMutations(), code: codeMutations() };
}

const indexPath = 'apps/edge/routes/index.ts';

function edit(folder: string, path: string, change: (source: string) => string): void {
  const file = join(folder, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`nothing was changed in ${path}`);
  writeFileSync(file, after);
}

/** The list of endpoints, seen through a change. */
function throughChange(folder: string, change: string): void {
  edit(folder, indexPath, (source) =>
    source.replace(
      /export const endpoints: readonly Endpoint\[\] = \[([\s\S]*?)\n\];/,
      `${change}\nexport const endpoints: readonly Endpoint[] = changed([$1\n]);`,
    ),
  );
}

function routeMutations(): Mutation[] {
  return Object.entries<RouteRow>(routes)
    .filter(([id]) => !id.startsWith('OWN-'))
    .map(([rowId, { method, path }]) => ({
      what: `route ${method} ${path}`,
      rowId,
      apply: (folder) =>
        throughChange(
          folder,
          `const changed = (all: readonly Endpoint[]) => all.filter(({ method, path }) =>
            method !== '${method.toLowerCase()}' || path !== '${path}');`,
        ),
    }));
}

interface FieldPlace {
  readonly rowId: string;
  /** Names, and `[]` for the elements of a list. */
  readonly steps: readonly string[];
}

function placesIn(schema: z.ZodType, at: FieldPlace): FieldPlace[] {
  const inner = bare(schema).schema;
  const rowId = shapeIdOf(inner) ?? at.rowId;
  const node = nodeOf(inner);
  if (node.kind === 'leaf') return [];
  if (node.kind === 'list') {
    return placesIn(node.element, { rowId: `${rowId}[]`, steps: [...at.steps, '[]'] });
  }
  return Object.entries(node.fields).flatMap(([name, field]) => {
    const place = { rowId: `${rowId}.${name}`, steps: [...at.steps, name] };
    return [place, ...placesIn(field, place)];
  });
}

function fieldMutations(): Mutation[] {
  return Object.entries<RouteRow>(routes)
    .filter(([, { answer, auth }]) => answer !== 'open' && auth !== 'operator')
    .flatMap(([id, row]) =>
      placesIn(row.answer as z.ZodType, { rowId: id, steps: [] }).map(({ steps, rowId }) => ({
        what: `field ${steps.join('.')} of ${row.method} ${row.path}`,
        rowId,
        apply: (folder: string) => dropField(folder, row, steps),
      })),
    );
}

/** Out of the answer and out of its schema, so that the service itself sees nothing wrong. */
function dropField(folder: string, { method, path }: RouteRow, steps: readonly string[]): void {
  const module = new URL('without-field.ts', import.meta.url);
  writeFileSync(join(folder, 'apps/edge/without-field.ts'), readFileSync(module));
  throughChange(
    folder,
    `import { withoutField } from '../without-field.ts';
    const changed = (all: readonly Endpoint[]) => all.map((each) =>
      each.method === '${method.toLowerCase()}' && each.path === '${path}'
        ? withoutField(each as never, ${JSON.stringify(steps)}) as Endpoint
        : each);`,
  );
}

function codeMutations(): Mutation[] {
  return Object.entries<CodeRow>(codes)
    .filter(([id]) => !id.startsWith('OWN-') && !id.endsWith('_DEFAULT'))
    .flatMap(([rowId, { code, status }]) => [
      {
        what: `code ${code}, which is called something else`,
        rowId,
        apply: (folder: string) =>
          edit(folder, 'apps/edge/faults.ts', (source) =>
            source.replace(
              /(export function wireCodeOf\(code: FaultCode\): string \{)/,
              `$1\n  if (code === '${code}') return 'CHANGED';`,
            ),
          ),
      },
      {
        what: `code ${code}, which is no ${status} any more`,
        rowId,
        apply: (folder: string) =>
          edit(folder, 'apps/edge/faults.ts', (source) =>
            source.replace(new RegExp(`^  ${code}: \\d+,$`, 'm'), `  ${code}: 418,`),
          ),
      },
    ]);
}
