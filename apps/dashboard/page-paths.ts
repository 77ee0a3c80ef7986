/** Every page of the app by its name: what the edge serves and what the browser shows. */
export const pagePaths = {
  leaderboard: '/',
  version: '/app/versions/{id}',
  races: '/app/races',
  race: '/app/races/{id}',
  run: '/app/runs/{id}',
  episodes: '/app/episodes',
  emissions: '/app/emissions',
  validators: '/app/validators',
  operator: '/app/operator',
  account: '/app/account',
} as const;

export type PageName = keyof typeof pagePaths;

export interface PagePlace {
  readonly page: PageName;
  /** Of a path with an id, as it is written there; else empty. */
  readonly id: string;
}

const idText = /^[\w-]{1,64}$/;

export function placeOf(path: string): PagePlace | undefined {
  for (const [page, pattern] of Object.entries(pagePaths)) {
    if (path === pattern) return { page: page as PageName, id: '' };
    if (!pattern.endsWith('{id}')) continue;
    const start = pattern.slice(0, -'{id}'.length);
    const id = path.startsWith(start) ? path.slice(start.length) : '';
    if (idText.test(id)) return { page: page as PageName, id };
  }
  return undefined;
}
