import { operatorRoutes } from '../client/operator-routes.generated.ts';
import type { Command, Option, Options, Place } from '../command.ts';
import { type OperatorOperation, operatorNames } from './names.ts';
import type { OperatorField, OperatorRoute } from './operator-route.ts';
import { isPlace, optionName, placeName } from './request-of.ts';
import { runOperator } from './run-operator.ts';

function operatorCommand(operation: OperatorOperation, name: string): Command {
  const route: OperatorRoute = operatorRoutes[operation];
  const places = placesOf(route);
  const spelt = ['paddock operator', name, ...places.map((place) => exampleOf(place))];
  const needed = route.fields.filter((field) => field.isRequired && !isPlace(field, route));
  const options = needed.map((field) => `--${optionName(field)} ${exampleText(field)}`);
  return {
    name: `operator ${name}`,
    says: saysOf(route),
    places,
    options: optionsOf(route, fieldSaysOf(operation)),
    more: `${route.method} ${route.path}. The token comes from PADDOCK_OPERATOR_TOKEN or "operator_token" of
config.json.`,
    examples: [[[...spelt, ...options].join(' '), saysOf(route).toLowerCase()]],
    run: (asked, desk) => runOperator(operation, asked, desk),
  };
}

/** As a line of help: without the marks that the page of the API shows as code. */
function saysOf({ says }: OperatorRoute): string {
  return says.replaceAll('`', '');
}

function placesOf(route: OperatorRoute): Place[] {
  const places = route.fields.filter((field) => isPlace(field, route)).map(placeOf);
  const file = { name: 'FILE', says: 'what is uploaded, as it is', isFile: true };
  return route.body === 'file' ? [...places, file] : places;
}

function placeOf(field: OperatorField): Place {
  const { name, says, among } = field;
  return {
    name: placeName(field),
    says: says ?? name.replaceAll('_', ' '),
    ...(among !== undefined && { among }),
  };
}

function optionsOf(route: OperatorRoute, says: FieldSays): Options {
  const named = route.fields.filter((field) => !isPlace(field, route));
  // What a file may hold need not stand on the line as well.
  const hasBody = named.some(({ type }) => type === 'json');
  const options = named.map(
    (field) => [optionName(field), optionOf(field, says, hasBody)] as const,
  );
  const body: Option = {
    ...{ value: 'FILE', isFile: true },
    says: 'a JSON object with what the options above say; - is standard input',
  };
  const key: Option = {
    value: 'KEY',
    says: 'of an earlier attempt whose outcome is unknown: it is then carried out once',
  };
  return {
    ...Object.fromEntries(options),
    ...(hasBody && { body }),
    ...(route.takesKey && { 'idempotency-key': key }),
  };
}

const valueNames = { text: 'TEXT', number: 'NUMBER', boolean: 'true|false', json: 'LIST' } as const;

function optionOf(field: OperatorField, known: FieldSays, hasBody: boolean): Option {
  const { name, type, says, among, isRequired } = field;
  const hint = type === 'json' ? ' (with commas, or JSON)' : '';
  return {
    value: name.endsWith('_id') || name.endsWith('hotkey') ? 'ID' : valueNames[type],
    says: `${says ?? known[name] ?? name.replaceAll('_', ' ')}${hint}`,
    ...(among !== undefined && { among }),
    ...(isRequired && !hasBody && { isRequired }),
  };
}

type FieldSays = Readonly<Record<string, string>>;

function fieldSaysOf(operation: OperatorOperation): FieldSays {
  return toldToAll.has(operation) ? { ...fieldSays, reason: 'why; shown to everybody' } : fieldSays;
}

/** Orders whose reason is public: of a version, of a run, of a race. */
const toldToAll: ReadonlySet<OperatorOperation> = new Set([
  'postAdminAgentVersionsDiscard',
  'postAdminEvaluationRunsExclude',
  'postAdminRacesCancel',
]);

const fieldSays: FieldSays = {
  reason: 'why; it stands in the audit log',
  claimed_from: 'runs claimed at this instant or later',
  claimed_until: 'runs claimed before this instant',
};

function exampleOf({ name, among }: Place): string {
  return among?.[0] ?? name;
}

function exampleText({ name, among }: OperatorField): string {
  return among?.[0] ?? (name === 'reason' ? '"as agreed"' : name.toUpperCase());
}

/** One command for each route of operators, made of what the description of the API says of it. */
export const operatorCommands: readonly Command[] = Object.entries(operatorNames).map(
  ([operation, name]) => operatorCommand(operation as OperatorOperation, name),
);
