/** A pack that was kept and is not in the store any more; the message says which. */
export class PackMissing extends Error {
  override name = 'PackMissing';
}
