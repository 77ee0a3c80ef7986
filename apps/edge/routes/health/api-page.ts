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
  h3 { margin: .8rem 0 .2rem; font-size: 1rem; }
  details { border: 1px solid #d5dbe3; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
  summary { cursor: pointer; }
  code { font: 13px ui-monospace, monospace; }
  pre { background: #f4f6f9; padding: .8rem; overflow: auto; border-radius: 6px; }
  .method { display: inline-block; width: 4.5rem; font-weight: 600; }
  .muted { color: #5a6675; }
  @media (prefers-color-scheme: dark) {
    body { color: #dde3ea; background: #14181d; }
    a { color: #8fbdf2; }
    details { border-color: #333c47; }
    pre { background: #1c222a; }
    .muted { color: #93a0ae; }
  }
</style>
</head>
<body>
<header>
<h1>Paddock API</h1>
<p class="muted">Described by <a href="/openapi.json">/openapi.json</a>. In the examples <code>PADDOCK_URL</code> is this
service, <code>PADDOCK_TOKEN</code> the token of a session, <code>PADDOCK_OPERATOR_TOKEN</code> an operator&rsquo;s,
<code>ACCESS_TOKEN</code> what a claim gives for asking models; put ids of your own in place of those that are shown.</p>
</header>
<main id="routes"><p role="status">Loading …</p></main>
<script>
  const add = (parent, tag, text, name) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (name) node.className = name;
    parent.append(node);
    return node;
  };
  // What scrolls must be reached by the keyboard.
  const code = (parent, text) => {
    add(parent, 'pre', text).tabIndex = 0;
  };
  const json = (parent, value) => code(parent, JSON.stringify(value, null, 2));
  const typeOf = (schema) => {
    if (schema.$ref) return schema.$ref.split('/').pop();
    const kinds = (schema.anyOf || schema.oneOf || []).map(typeOf).join(' | ');
    const text = kinds || [schema.type || 'any'].flat().join(' | ');
    const bounds = ['format', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'default']
      .filter((key) => key in schema)
      .map((key) => key + ' ' + schema[key]);
    return [text, ...bounds].join(', ');
  };
  const showContent = (box, content, api) => {
    for (const [type, media] of Object.entries(content || {})) {
      const line = add(box, 'p', undefined, 'muted');
      line.textContent = type + ': ' + (media.examples ? 'an error' : typeOf(media.schema));
      if ('example' in media) json(box, media.example);
      for (const code of Object.keys(media.examples || {})) {
        const known = api.components.examples[code];
        const error = add(box, 'details');
        const head = add(error, 'summary');
        add(head, 'code', code);
        add(head, 'span', ' ' + known.summary, 'muted');
        json(error, known.value);
      }
    }
  };
  const showOperation = (box, operation, api) => {
    const proofs = operation.security.map((each) => Object.keys(each).join(' + ')).join(', or ');
    add(box, 'p', proofs === '' ? 'Open to everybody' : 'Proof: ' + proofs, 'muted');
    if (operation.deprecated) add(box, 'p', 'Deprecated. ' + (operation.description || ''));
    for (const each of operation.parameters || []) {
      const line = add(box, 'p');
      add(line, 'code', each.name);
      const need = each.required ? ', required' : '';
      const about = ' in ' + each.in + need + ': ' + typeOf(each.schema) + '. ';
      add(line, 'span', about + (each.description || '') + ' Example: ' + each.example, 'muted');
    }
    for (const { source } of operation['x-codeSamples'] || []) {
      add(box, 'h3', 'Example');
      code(box, source);
    }
    if (operation.requestBody) {
      add(box, 'h3', operation.requestBody.required ? 'Body' : 'Body, may be absent');
      for (const media of Object.values(operation.requestBody.content)) {
        const whole = add(box, 'details');
        add(whole, 'summary', 'Schema', 'muted');
        json(whole, media.schema);
      }
      showContent(box, operation.requestBody.content, api);
    }
    for (const [status, answer] of Object.entries(operation.responses)) {
      const part = add(box, 'details');
      const head = add(part, 'summary');
      add(head, 'span', status, 'method');
      add(head, 'span', answer.description, 'muted');
      showContent(part, answer.content, api);
      add(part, 'p', 'Headers: ' + Object.keys(answer.headers || {}).join(', '), 'muted');
    }
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
        showOperation(box, operation, api);
      }
    }
    add(main, 'h2', 'Schemas');
    for (const [name, schema] of Object.entries(api.components.schemas)) {
      const box = add(main, 'details');
      box.id = 'schema-' + name;
      add(add(box, 'summary'), 'code', name);
      json(box, schema);
    }
  };
  const load = async () => {
    const answer = await fetch('/openapi.json');
    if (!answer.ok) throw new Error('the service answered ' + answer.status);
    show(await answer.json());
  };
  load().catch((error) => {
    const main = document.getElementById('routes');
    main.textContent = '';
    const said = add(main, 'p', 'Could not load the description: ' + error.message + '. Load the page again later.');
    said.setAttribute('role', 'alert');
  });
</script>
</body>
</html>
`;
