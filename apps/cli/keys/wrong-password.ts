/** The file is whole as far as one can tell, and the password does not open it. */
export class WrongPassword extends Error {
  override name = 'WrongPassword';
  override message = 'the password does not open this key file';
}
