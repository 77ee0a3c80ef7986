import { qualifiedName } from '../referents.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

/** All that the names and attributes of a file stand for, as `json.dumps` or `getattr`. */
const referredNames = onceAFile(({ ofKind, referents }): ReadonlySet<string> => {
  // Loads of one name share their list, so there are few.
  const lists = new Set(ofKind('name', 'binding', 'attribute').map((node) => referents.of(node)));
  return new Set([...lists].flat().map(qualifiedName));
});

/** Does anything in the file stand for one of `names`? */
export function refersTo(context: RuleContext, names: ReadonlySet<string>): boolean {
  return !names.isDisjointFrom(referredNames(context));
}
