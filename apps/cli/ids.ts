const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it may be the id of anything: of what is typed amiss the service says only that it is none. */
export function isId(text: string): boolean {
  return uuid.test(text);
}
