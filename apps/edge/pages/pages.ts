import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal } from '../../../machines/refusal.ts';
import { placeOf } from '../../dashboard/page-paths.ts';
import { discardRest, sendFault, setHeaders } from '../answer.ts';
import { settleHead } from '../answer-head.ts';
import { chosenCoding } from '../public-reads/content-coding.ts';
import { isKnownTag } from '../public-reads/entity-tag.ts';
import type { PageFile, PageFiles } from './page-files.ts';

const assetsPath = '/app/assets/';
const yearSeconds = 31_536_000;

/** What a path of the app answers. */
interface Found {
  readonly file: PageFile;
  readonly status: 200 | 404;
  readonly cacheControl: string;
}

/**
 * The pages for people: files from memory, under `/` and `/app` alone, so that no route of the API is
 * answered otherwise than without them. A path of the app that it does not know gets the app's own
 * page with 404, and so does an asset of an earlier build: a page that is open tells its reader so.
 */
export class Pages {
  readonly #files: PageFiles;
  readonly #policy: string;

  /** @param storeOrigin where presigned addresses of episodes and bundles lead */
  constructor(files: PageFiles, storeOrigin: string) {
    this.#files = files;
    this.#policy = policyOf(storeOrigin);
  }

  /** What the request is answered; undefined where it does not ask for a page. */
  find(request: IncomingMessage): ((response: ServerResponse) => void) | undefined {
    const [path = ''] = (request.url ?? '').split('?');
    const found = this.#find(path);
    if (found === undefined || !takesPages(request, path)) return undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead ? (response) => this.#send(response, found) : refuseMethod;
  }

  #find(path: string): Found | undefined {
    if (path.startsWith(assetsPath)) {
      const file = this.#files.assets.get(path.slice(assetsPath.length));
      const cacheControl = `public, max-age=${yearSeconds}, immutable`;
      if (file !== undefined) return { file, status: 200, cacheControl };
    }
    const isKnown = placeOf(path) !== undefined;
    if (!isKnown && path !== '/app' && !path.startsWith('/app/')) return undefined;
    // Asked for again each time: it names the assets of this release.
    return { file: this.#files.index, status: isKnown ? 200 : 404, cacheControl: 'no-cache' };
  }

  #send(response: ServerResponse, { file, status, cacheControl }: Found): void {
    if (response.headersSent || response.destroyed) return;
    const { headers, method } = response.req;
    settleHead(response);
    setHeaders(response, {
      'Cache-Control': cacheControl,
      'Content-Security-Policy': this.#policy,
      Vary: 'Accept-Encoding',
      ETag: file.tag,
    });
    if (status === 200 && isKnownTag(headers['if-none-match'], file.tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const coding = chosenCoding(headers['accept-encoding'], true);
    const body = coding === 'identity' ? file.content : file[coding];
    response.statusCode = status;
    if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Type', file.type);
    response.setHeader('Content-Length', String(body.length));
    response.end(method === 'HEAD' ? undefined : body);
  }
}

/** Who asks `/` for JSON alone means the API, which has nothing there. */
function takesPages({ headers }: IncomingMessage, path: string): boolean {
  const accept = headers.accept ?? '*/*';
  return path !== '/' || /text\/html|text\/\*|\*\/\*/.test(accept);
}

function refuseMethod(response: ServerResponse): void {
  settleHead(response);
  response.setHeader('Allow', 'GET, HEAD');
  sendFault(response, refusal('METHOD_NOT_ALLOWED', { says: 'This route knows GET, HEAD only.' }));
  discardRest(response.req);
}

/**
 * What the pages are made of and nothing else: our own files, our own API, and the store that episodes
 * are read from. No text ever becomes markup or script, whoever wrote it: the browser refuses that too.
 */
function policyOf(storeOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${storeOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
