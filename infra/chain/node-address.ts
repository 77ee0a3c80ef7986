export interface NodeAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `fetch` takes no URL with a user and a password: they travel in a header, and are in no error's text. */
export function nodeAddress(given: string): NodeAddress {
  const url = new URL(given.replace(/^ws/, 'http'));
  const { username, password } = url;
  if (username === '' && password === '') return { url: url.href, headers: {} };
  url.username = '';
  url.password = '';
  const login = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { url: url.href, headers: { authorization: `Basic ${login}` } };
}

/** As it stands where a sign is written that a URL would have encoded, such as a bare `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
