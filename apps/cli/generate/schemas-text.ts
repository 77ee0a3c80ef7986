import type { ApiDocument, Schema } from '../../edge/openapi/api-document.ts';
import { fieldsText, isOpen, literal, typeText } from './type-text.ts';

/** The first line of every file that is written from the description. */
export const generatedMark =
  '// Written by `npm run generate` from the description of the API; not to be changed by hand.\n';

/** One type per component of the description, and the errors by their codes. */
export function schemasText({ components }: ApiDocument): string {
  const types = Object.entries(components.schemas).map(([name, schema]) =>
    declaration(name, schema),
  );
  const errors = Object.entries(components.schemas).flatMap(([name, { properties }]) => {
    const code = properties?.['error_code']?.const;
    return code === undefined ? [] : [`  readonly ${literal(code)}: ${name};\n`];
  });
  const byCode = [...errors, `  readonly 'VALIDATION_FAILED': ValidationError;\n`].sort().join('');
  return [
    generatedMark,
    ...types,
    `/** What each code of an error comes with. */\nexport interface ErrorByCode {\n${byCode}}\n`,
  ].join('\n');
}

export function declaration(name: string, schema: Schema): string {
  const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
  const isObject = schema.type === 'object' && schema.properties !== undefined && !isOpen(schema);
  return isObject
    ? `${about}export interface ${name} {\n${fieldsText(schema)}}\n`
    : `${about}export type ${name} = ${typeText(schema)};\n`;
}
