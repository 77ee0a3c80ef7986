import type { Routine } from './catalogue.ts';
import type { History } from './made-by.ts';
import { migrationLink, row } from './relation-text.ts';

/** A chapter for each schema that has functions, with a table of them. */
export function functionsPage(routines: readonly Routine[], history: History): string[] {
  const begins =
    'Rights: those of the *owner* of the database (`security definer`) or of its *caller*. A function that nobody may call is called by others, or by triggers. Its text is that of one migration; later ones may have renamed it, or set how it is planned.';
  const chapters = [...Map.groupBy(routines, ({ schema }) => schema)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([schema, own]) => `## Schema ${schema}\n\n${tableOf(own, history)}`);
  return [begins, ...chapters];
}

function tableOf(routines: readonly Routine[], history: History): string {
  const rows = routines.map((routine) => {
    const text = history.texts.get(routine.signature) ?? '';
    const later = (history.changes.get(routine.signature) ?? []).filter((name) => name > text);
    return row([
      `\`${routine.name}(${routine.parameters})\``,
      `\`${routine.result}\``,
      routine.hasOwnersRights ? 'owner' : 'caller',
      routine.roles.join(', '),
      migrationLink(text),
      later.map(migrationLink).join(', '),
    ]);
  });
  const head = row(['Function', 'Gives', 'Rights', 'May be called by', 'Text', 'Changed since']);
  return [head, '|---|---|---|---|---|---|', ...rows].join('\n');
}
