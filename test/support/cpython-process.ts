/** The other end of `startCPython`: one CPython 3.11 that runs what tests ask it to. */
import { createRequire } from 'node:module';
import type { CPythonAnswer, CPythonQuestion } from './cpython.ts';

// The package's own types need the browser's; these are the parts used.
interface Pyodide {
  runPython(code: string): unknown;
  readonly globals: { get(name: string): (...given: unknown[]) => string };
  readonly FS: { writeFile(path: string, text: string): void; mkdirTree(path: string): void };
}

interface PyodideModule {
  loadPyodide(options: object): Promise<Pyodide>;
}

const helpers = `
import ast, builtins, json, sys, warnings

def _told(error):
    return {"error": f"{type(error).__name__}: {error}", "message": getattr(error, "msg", str(error)),
            "line": getattr(error, "lineno", None), "offset": getattr(error, "offset", None)}

def compile_file(file):
    try:
        compile(file.to_bytes(), "agent.py", "exec", dont_inherit=True)
    except BaseException as error:
        return json.dumps({"ok": False, **_told(error)})
    return json.dumps({"ok": True})

def run_file(file, name):
    modules = dict(sys.modules)
    kept = dict(vars(builtins))
    space = {"__name__": "agent", "__builtins__": builtins}
    try:
        exec(compile(file.to_bytes(), "agent.py", "exec", dont_inherit=True), space)
        answer = {"ok": True, "value": repr(space[name]) if name in space else None}
    except BaseException as error:
        answer = {"ok": False, **_told(error)}
    for module in set(sys.modules) - set(modules):
        del sys.modules[module]
    sys.modules.update(modules)
    vars(builtins).update(kept)
    return json.dumps(answer)

warnings.simplefilter("ignore")
`;

const { loadPyodide } = createRequire(import.meta.url)('pyodide') as PyodideModule;
const silent = { stdout: () => undefined, stderr: () => undefined, stdin: () => '' };
const python = await loadPyodide({ ...silent, fullStdLib: false });
python.FS.mkdirTree('/etc');
python.FS.writeFile('/etc/hostname', 'sandbox\n');
python.runPython(helpers);
const [compileFile, runFile] = ['compile_file', 'run_file'].map((name) => python.globals.get(name));

process.on('message', ({ kind, name, ...question }: CPythonQuestion) => {
  // A Buffer arrives as one, which pyodide does not know.
  const file = new Uint8Array(question.file);
  const told = kind === 'compile' ? compileFile?.(file) : runFile?.(file, name);
  process.send?.(JSON.parse(told ?? 'null') as CPythonAnswer);
});
// Without a parent there is nobody left to ask.
process.on('disconnect', () => process.exit(0));
process.send?.({ ok: true });
