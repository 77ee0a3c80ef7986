import { attributesByName } from './attributes-by-name.ts';
import { augmented } from './augmented.ts';
import { codeByString } from './code-by-string.ts';
import { dispatches } from './dispatches.ts';
import { doorsOfTheSystem } from './doors-of-the-system.ts';
import { emptyEnumerations } from './empty-enumerations.ts';
import type { Evasion } from './evasion.ts';
import { formatTemplates } from './format-templates.ts';
import { importForms } from './import-forms.ts';
import { introspection } from './introspection.ts';
import { lookalikes } from './lookalikes.ts';
import { madeUpTracebacks } from './made-up-tracebacks.ts';
import { metaprogramming } from './metaprogramming.ts';
import { otherMeanings } from './other-meanings.ts';
import { ownBindings } from './own-bindings.ts';
import { ownSetters } from './own-setters.ts';
import { spiesAndDoors } from './spies-and-doors.ts';

export const corpus: readonly Evasion[] = [
  ...importForms,
  ...codeByString,
  ...doorsOfTheSystem,
  ...introspection,
  ...attributesByName,
  ...formatTemplates,
  ...metaprogramming,
  ...dispatches,
  ...spiesAndDoors,
  ...lookalikes,
  ...madeUpTracebacks,
  ...ownBindings,
  ...emptyEnumerations,
  ...ownSetters,
  ...augmented,
  ...otherMeanings,
];
