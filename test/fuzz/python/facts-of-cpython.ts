import type { CPython } from '../../support/cpython.ts';

/**
 * What CPython's own tree says of a file, as lines that `factsOfReader` writes of ours: every name,
 * attribute, import, call, keyword and literal with its line. Inside f-strings CPython 3.11 gives
 * wrong lines, so there they are left out.
 */
const dumper = `
import ast, builtins, json

def _facts(file):
    tree = ast.parse(file, "agent.py")
    found = []
    def say(kind, what, line):
        found.append(f"{kind} {what} @{line}")
    def joined_text(node):
        text = ""
        for part in node.values:
            if isinstance(part, ast.Constant): text += part.value
            elif part.format_spec is not None: text += joined_text(part.format_spec)
        return text
    def bind(name):
        if name is not None and name != "_": say("binds", name, "?")
    def visit(node, quiet):
        line = "?" if quiet else getattr(node, "lineno", "?")
        match node:
            case ast.Name(id=name, ctx=ast.Load()): say("loads", name, line)
            case ast.Name(id=name): bind(name)
            case ast.arg(arg=name): bind(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bind(name)
                say(type(node).__name__.removeprefix("Async"), name, "?")
            case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
                bind(name)
            case ast.MatchMapping(rest=name): bind(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                for name in names: bind(name)
                say(type(node).__name__, len(names), line)
            case ast.Attribute(attr=name): say("attribute", name, "?" if quiet else node.end_lineno)
            case ast.Call(args=args, keywords=keywords): say("call of", len(args) + len(keywords), "?")
            case ast.MatchClass(patterns=patterns, kwd_attrs=names):
                say("call of", len(patterns) + len(names), "?")
                for name in names: say("attribute", name, "?")
            case ast.Import(names=names):
                for name in names: say("import", f"{name.name} as {name.asname}", line if name is names[0] else "?")
            case ast.ImportFrom(module=module, names=names, level=level):
                for name in names: say("from", f"{'.' * level}{module or ''} {name.name} as {name.asname}", "?")
            case ast.keyword(arg=name):
                if name is not None: say("keyword", name, line)
            case ast.Constant(value=str(text)): say("text", json.dumps(text), line)
            case ast.Constant(value=bytes(text)): say("text", json.dumps(text.decode("latin1")), line)
            case ast.Constant(value=(None | True | False | builtins.Ellipsis) as value): say("constant", value, line)
            case ast.MatchSingleton(value=value): say("constant", value, line)
            case ast.Constant(): say("number", "", line)
            case ast.JoinedStr(): say("text", json.dumps(joined_text(node)), line)
            case ast.Subscript() | ast.Lambda(): say(type(node).__name__, "", "?")
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp(): say("comprehension", "", "?")
            case ast.AnnAssign(): say("annotation", "", "?")
        if isinstance(node, ast.arg) and node.annotation is not None: say("annotation", "", "?")
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            say("annotation", "", "?")
    def inside_joined(node):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                pending.append((part.value, True))
                if part.format_spec is not None: inside_joined(part.format_spec)
    pending = [(tree, False)]
    while pending:
        node, quiet = pending.pop()
        visit(node, quiet)
        if isinstance(node, ast.JoinedStr): inside_joined(node)
        else: pending.extend((child, quiet) for child in ast.iter_child_nodes(node))
    return json.dumps(found).encode().hex()

builtins.agent_facts = _facts
`;

export interface FactsOfCPython {
  /** Null when CPython has no tree to show. */
  facts(file: Uint8Array): Promise<string[] | null>;
}

export async function factsOfCPython(python: CPython): Promise<FactsOfCPython> {
  let isPlanted = false;
  return {
    async facts(file) {
      if (!isPlanted) {
        const planted = await python.run(dumper);
        if (!planted.ok) throw new Error(planted.error);
        isPlanted = true;
      }
      const hex = Buffer.from(file).toString('hex');
      const told = await python.run(`R = agent_facts(bytes.fromhex("${hex}"))`, {
        deadlineMs: 60_000,
      });
      if (!told.ok) {
        if (told.error === 'ended' || told.error === 'late') isPlanted = false;
        return null;
      }
      const json = Buffer.from((told.value ?? '').slice(1, -1), 'hex').toString('utf8');
      return (JSON.parse(json) as string[]).toSorted();
    },
  };
}
