/** Python that runs evasions and says what each reached, for `startCPython().run`. */
import type { Evasion } from './evasion.ts';

const prelude = String.raw`
import builtins, io, json, os, sys, types, warnings
warnings.simplefilter("ignore")
with open("/tmp/planted.txt", "w") as planted:
    planted.write("planted-secret\n")
os.environ["PADDOCK_SECRET"] = "planted-secret"

def agent_package():
    package = types.ModuleType("paddock_agent")
    package.__path__ = []
    tools = types.ModuleType("paddock_agent.tools")
    class Client:
        def search(self):
            return []
    for module in (package, tools):
        module.os, module.sys, module._sys = os, sys, sys
        module.find = lambda: []
        module.Client = Client
    package.tools = tools
    sys.modules["paddock_agent"], sys.modules["paddock_agent.tools"] = package, tools

strong = {id(o) for o in (eval, exec, compile, __import__, open, input, breakpoint, io.open, os.system, os.popen)}

def reached(kind, r):
    t = type(r)
    if kind == "pid": return t is int and r == os.getpid()
    if kind == "two": return t is int and r == 2
    if kind == "module": return isinstance(r, types.ModuleType)
    if kind == "frame": return t is types.FrameType
    if kind == "code": return t is types.CodeType
    if kind == "traceback": return t is types.TracebackType
    if kind == "globals": return isinstance(r, dict) and ("__builtins__" in r or "__name__" in r)
    if kind == "builtin": return id(r) in strong or callable(r)
    if kind == "classes": return isinstance(r, list) and len(r) > 100 and int in r
    if kind == "root": return r is object or r is type
    if kind == "text": return (r.decode() if isinstance(r, bytes) else r).find("planted-secret") >= 0
    if kind == "environment": return r.get("PADDOCK_SECRET") == "planted-secret"
    if kind == "printed": return isinstance(r, str) and ("<class" in r or "<module" in r or "{'" in r or "mappingproxy" in r)
    if kind == "hidden": return r is not None
    if kind == "patched": return r == "patched"
    if kind == "made": return isinstance(r, type)
    if kind == "socket": return isinstance(r, type) and r.__name__ == "socket"
    if kind == "handle": return hasattr(r, "write") or hasattr(r, "read")
    return False

def witness(kind, source):
    agent_package()
    sys.modules["__main__"].__dict__.pop("R", None)
    names = {"__name__": "__main__", "__builtins__": builtins, "__loader__": sys.modules["sys"].__spec__.loader, "__spec__": None, "__package__": "paddock_agent"}
    out, err = sys.stdout, sys.stderr
    names_of_builtins = vars(builtins)
    before = dict(names_of_builtins)
    try:
        exec(compile(source.encode(), "agent.py", "exec"), names)
        return "reached" if reached(kind, names.get("R")) else "not reached: " + repr(names.get("R"))[:200]
    except BaseException as e:
        return type(e).__name__ + ": " + str(e)[:300]
    finally:
        sys.stdout, sys.stderr = out, err
        names_of_builtins.update(before)
`;

/** A script that binds `R` to base64 of JSON: what became of each, in order. */
export function witnessScript(evasions: readonly Pick<Evasion, 'reaches' | 'source'>[]): string {
  const cases = evasions.map(({ reaches, source }) => [reaches, source]);
  const encoded = Buffer.from(JSON.stringify(cases)).toString('base64');
  return `${prelude}
import base64
cases = json.loads(base64.b64decode("${encoded}"))
R = base64.b64encode(json.dumps([witness(kind, source) for kind, source in cases]).encode()).decode()
`;
}
