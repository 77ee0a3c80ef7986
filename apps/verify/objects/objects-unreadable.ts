/** The store could not be asked, so nothing is known of its files; the message is for a person. */
export class ObjectsUnreadable extends Error {
  override name = 'ObjectsUnreadable';
}
