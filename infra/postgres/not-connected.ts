/** Nothing was sent: there was no connection yet, or the server had not let us in. */
export class NotConnected extends Error {
  override name = 'NotConnected';
  readonly code = 'NOT_CONNECTED';
}
