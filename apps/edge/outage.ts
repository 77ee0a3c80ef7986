import { Fault } from '../../machines/fault.ts';

/**
 * What a caller is told of an error. Faults are meant for callers; of a neighbour's outage they
 * learn which one, so that they repeat; a defect is ours alone.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof Error && error.name === 'ChainUnavailable') {
    return new Fault('CHAIN_UNAVAILABLE', 'The chain cannot be asked right now.');
  }
  if (isDatabaseOutage(error)) {
    return new Fault('STORE_UNAVAILABLE', 'The database cannot be reached right now.');
  }
  return new Fault('INTERNAL_ERROR', 'Something went wrong on our side.');
}

/** Of the driver (names) and of the server: connection, resources, shutdown, standby. */
const outageCodes =
  /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|ECONN(REFUSED|RESET)|EPIPE|ETIMEDOUT|08.{3}|53.{3}|57P0[1-5]|57014|55P03)$/;

function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && outageCodes.test(error.code);
}
