/** A key that cannot be used; says why, and what to do. */
export class KeyUnusable extends Error {
  override name = 'KeyUnusable';
}
