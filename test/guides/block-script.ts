export interface ShellFiles {
  /** What one block exports and declares is there in the next. */
  readonly kept: string;
  /** The folder that the last block went to. */
  readonly folder: string;
}

/**
 * The script of one block in a shell that goes on from block to block. A terminal of its own begins in the
 * same folder, and knows nothing of what was exported elsewhere.
 */
export function blockScript(
  code: string,
  { kept, folder }: ShellFiles,
  { isFresh }: { readonly isFresh: boolean },
): string {
  const keep = `trap 'code=$?; pwd > ${folder}; { export -p; declare -f; } > ${kept}; exit $code' EXIT`;
  const before = isFresh ? '' : `. ${kept}\n${keep}\n`;
  return `set -eo pipefail\ncd "$(cat ${folder})"\n${before}${code}\n`;
}
