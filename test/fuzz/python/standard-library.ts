import type { CPython } from '../../support/cpython.ts';

const archive = 'import zipfile\nz = zipfile.ZipFile("/lib/python311.zip")\n';

/** The source files of the library that CPython brings along: 8 MB of other people's Python. */
export async function standardLibrary(python: CPython): Promise<Uint8Array[]> {
  const names = await asked(python, 'R = " ".join(n for n in z.namelist() if n.endswith(".py"))');
  const files: Uint8Array[] = [];
  for (const name of names.split(' ')) {
    files.push(Buffer.from(await asked(python, `R = z.read("${name}").hex()`), 'hex'));
  }
  return files;
}

async function asked(python: CPython, code: string): Promise<string> {
  const told = await python.run(archive + code, { deadlineMs: 60_000 });
  if (!told.ok) throw new Error(told.error);
  return (told.value ?? '').slice(1, -1);
}
