/** Shows /openapi.json without any outside asset; texts go in as text nodes, never as markup. */
export const apiPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paddock API</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c2430; background: #fff; }
  h2 { margin-top: 2rem; font-size: 1.1rem; }
  details { border: 1px solid #d5dbe3; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
  summary { cursor: pointer; }
  code { font: 13px ui-monospace, monospace; }
  pre { background: #f4f6f9; padding: .8rem; overflow: auto; border-radius: 6px; }
  .method { display: inline-block; width: 4.5rem; font-weight: 600; }
  .muted { color: #5a6675; }
  @media (prefers-color-scheme: dark) {
    body { color: #dde3ea; background: #14181d; }
    details { border-color: #333c47; }
    pre { background: #1c222a; }
    .muted { color: #93a0ae; }
  }
</style>
</head>
<body>
<h1>Paddock API</h1>
<p class="muted">Described by <a href="/openapi.json">/openapi.json</a>.</p>
<main id="routes">Loading …</main>
<script>
  const add = (parent, tag, text, name) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (name) node.className = name;
    parent.append(node);
    return node;
  };
  const show = (api) => {
    const main = document.getElementById('routes');
    main.textContent = '';
    const groups = new Map();
    for (const [path, methods] of Object.entries(api.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const tag = (operation.tags || ['other'])[0];
        if (!groups.has(tag)) groups.set(tag, []);
        groups.get(tag).push({ path, method, operation });
      }
    for (const [tag, routes] of groups) {
      add(main, 'h2', tag);
      for (const { path, method, operation } of routes) {
        const box = add(main, 'details');
        const line = add(box, 'summary');
        add(line, 'span', method.toUpperCase(), 'method');
        add(line, 'code', path);
        add(line, 'span', ' ' + (operation.summary || ''), 'muted');
        const { tags, summary, operationId, ...rest } = operation;
        add(box, 'pre', JSON.stringify(rest, null, 2));
      }
    }
    if (api.components) {
      add(main, 'h2', 'components');
      const box = add(main, 'details');
      add(box, 'summary', 'schemas');
      add(box, 'pre', JSON.stringify(api.components, null, 2));
    }
  };
  fetch('/openapi.json').then((answer) => answer.json()).then(show, (error) => {
    document.getElementById('routes').textContent = 'Could not load the description: ' + error;
  });
</script>
</body>
</html>
`;
