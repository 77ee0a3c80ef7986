/** What processes show at /metrics: the labels of each metric by its name, without those of OpenTelemetry. */
export async function shownMetrics(
  ports: readonly number[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const labels = new Map<string, Set<string>>();
  for (const port of ports) {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    if (!answer.ok) throw new Error(`/metrics at ${port} says ${answer.status}`);
    const text = await answer.text();
    const histograms = new Set(
      [...text.matchAll(/^# TYPE (\S+) histogram$/gm)].map(([, name = '']) => name),
    );
    for (const [, full = '', given = ''] of text.matchAll(/^(paddock_\w+)(?:\{(.*)\})? /gm)) {
      const family = full.replace(/_(bucket|count|sum)$/, '');
      const name = histograms.has(family) ? family : full;
      const known = labels.get(name) ?? new Set();
      for (const [, label = ''] of given.matchAll(/(\w+)="/g)) known.add(label);
      labels.set(name, known);
    }
  }
  const isOwn = (label: string) => label !== 'le' && !label.startsWith('otel_');
  return new Map([...labels].map(([name, all]) => [name, [...all].filter(isOwn).sort()]));
}
