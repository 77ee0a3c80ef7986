import type { Call } from './call.ts';
import { Unanswered } from './refusal.ts';

interface Foreign {
  /** Of the service, as it was given. */
  readonly baseUrl: string;
  readonly url: string;
  readonly method: string;
  /** What came, as an end of a sentence about who sent it. */
  readonly says: string;
  /** An address under which all seems to be as it is asked for here. */
  readonly movedTo?: string | undefined;
}

/**
 * Something else answered in the service's place: a page of a proxy that waits for the service or for a login, or
 * a redirect, which no route of the service gives. That it succeeded is no word of the service.
 */
export class ForeignAnswer extends Unanswered {
  override name = 'ForeignAnswer';
  readonly baseUrl: string;
  readonly says: string;
  readonly movedTo: string | undefined;

  constructor({ baseUrl, url, method, says, movedTo }: Foreign, options?: ErrorOptions) {
    super(`${method} ${url}: something in the service's place ${says}`, options);
    this.baseUrl = baseUrl;
    this.says = says;
    this.movedTo = movedTo;
  }

  /** Who only says that the service has another address has passed nothing on to it; a try before may have got there. */
  override get leavesOpen(): boolean {
    return this.movedTo === undefined || this.isAfterLost;
  }
}

type Asked = Pick<Foreign, 'baseUrl' | 'url'>;

/** Undefined of what the service may have said: a refusal, or a success in a form that the route has. */
export function foreignAnswer(
  { method, answers = ['application/json'] }: Call,
  asked: Asked,
  answer: Response,
): ForeignAnswer | undefined {
  const location = answer.headers.get('location');
  if (answer.status >= 300 && answer.status < 400 && location !== null)
    return new ForeignAnswer({ ...asked, method, ...redirect(asked, location) });
  const form = formOf(answer);
  if (!answer.ok || answers.includes(form)) return undefined;
  const says = `answered ${answer.status} with ${form === '' ? 'nothing' : form}, as this route never does`;
  return new ForeignAnswer({ ...asked, method, says });
}

/** Its media type alone, in lower case; '' of a 204. */
export function formOf({ status, headers }: Response): string {
  if (status === 204) return '';
  const [type = ''] = (headers.get('content-type') ?? 'no media type').split(';');
  return type.trim().toLowerCase();
}

/** Without the query of another page than was asked for: one to sign in has secrets there. */
function redirect({ baseUrl, url }: Asked, location: string) {
  const target = URL.parse(location, url);
  if (target === null || !/^https?:$/.test(target.protocol))
    return { says: 'redirects to no address' };
  const { origin, pathname, search } = target;
  const base = new URL(baseUrl).href.replace(/\/$/, '');
  const route = new URL(url).href.slice(base.length);
  const whole = `${origin}${pathname}${search}`;
  const other = whole.endsWith(route) ? whole.slice(0, -route.length) : base;
  return other === base
    ? { says: `redirects to ${origin}${pathname}` }
    : { says: `redirects to ${other}`, movedTo: other };
}
