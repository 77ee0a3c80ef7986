/** The object store cannot be used now: down, slow, broken, or it refuses this process. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** It answers, and takes nothing: its disk is full, say, or it only reads. */
export class FilesRefused extends StorageUnavailable {
  override name = 'FilesRefused';
}
