/** The object store cannot be used now: down, slow, broken, or it refuses this process. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}
