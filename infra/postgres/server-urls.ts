/** One for each server that it names: `new URL` takes no ports before a comma. */
export function serverUrls(databaseUrl: string): readonly string[] {
  const [, before = '', servers = '', after = ''] =
    /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is.exec(databaseUrl) ?? [];
  return servers.split(',').map((server) => `${before}${server}${after}`);
}
