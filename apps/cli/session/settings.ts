import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';

/** The variables that the command line heeds, by their names. */
export interface Variables {
  readonly PADDOCK_URL?: string | undefined;
  readonly PADDOCK_TOKEN?: string | undefined;
  readonly PADDOCK_OPERATOR_TOKEN?: string | undefined;
  readonly PADDOCK_CONFIG_DIR?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly APPDATA?: string | undefined;
}

const configFile = z.strictObject({
  url: z.string().optional(),
  token: z.string().optional(),
  operator_token: z.string().optional(),
});

export type ConfigFile = z.infer<typeof configFile>;

/** Where sessions and settings of this user are. */
export function configFolder(variables: Variables, home: string): string {
  const { PADDOCK_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: windows } = variables;
  if (own) return own;
  return join(xdg || windows || join(home, '.config'), 'paddock');
}

/** `config.json` of the folder: an address and tokens that hold unless the line or a variable differs. */
export async function readConfigFile(folder: string): Promise<ConfigFile> {
  const path = join(folder, 'config.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new UsageError(`${path} cannot be read: ${error.message}`);
  });
  try {
    return configFile.parse(JSON.parse(text));
  } catch {
    throw new UsageError(
      `${path} must be a JSON object with "url", "token" and "operator_token" at most: mend or remove it`,
    );
  }
}

/** An address as sessions are filed under it; throws for what is none. */
export function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is no address: it must begin with http:// or https://`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
