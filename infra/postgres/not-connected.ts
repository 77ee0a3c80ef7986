/** Nothing was sent: there was no connection yet, or the server had not let us in. */
export class NotConnected extends Error {
  override name = 'NotConnected';
  /** `NOT_TRUSTED` where the server's certificate was not believed, which waiting does not mend. */
  readonly code: 'NOT_CONNECTED' | 'NOT_TRUSTED';

  constructor(message: string, options?: ErrorOptions & { readonly isTrusted?: boolean }) {
    super(message, options);
    this.code = options?.isTrusted === false ? 'NOT_TRUSTED' : 'NOT_CONNECTED';
  }
}
