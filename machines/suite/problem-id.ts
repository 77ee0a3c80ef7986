/** A task is one problem of its suite: the version 5 UUID of this name in this namespace. */
export const problemNamespace = 'b7d0a1f6-6c55-5c0e-9a55-0d7f3b1f2c11';

export function problemName(suiteId: number, taskId: string): string {
  return `suite/${suiteId}/${taskId}`;
}
