import { openApiDocument } from '../../edge/openapi/document.ts';
import { endpoints } from '../../edge/routes/index.ts';
import { clientText } from './client-text.ts';
import { operatorRoutesText } from './operator-routes-text.ts';
import { schemasText } from './schemas-text.ts';

/** The files of the client that follow from the description, by their address. */
export function clientFiles(): Map<URL, string> {
  const document = openApiDocument(endpoints);
  const at = (name: string) => new URL(`../client/${name}`, import.meta.url);
  return new Map([
    [at('schemas.generated.ts'), schemasText(document)],
    [at('paddock.generated.ts'), clientText(document)],
    [at('operator-routes.generated.ts'), operatorRoutesText(document)],
  ]);
}
