/** Coded as the client library codes it. What became of the transaction is for its user to say. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('the connection of this transaction is gone');
  }
}
