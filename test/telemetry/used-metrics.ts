import { readFile } from 'node:fs/promises';
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';
import { histograms } from '../../infra/ports/metrics.ts';

const folder = new URL('../../infra/telemetry/', import.meta.url);

const alert = z.strictObject({
  alert: z.string().regex(/^Paddock[A-Za-z]+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({
    summary: z.string(),
    runbook: z.string().regex(/^RUNBOOK\.md#[a-z0-9-]+$/),
  }),
});
const rules = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(alert).min(1) })).min(1),
});

export type Alert = z.output<typeof alert>;

export async function readAlerts(): Promise<readonly Alert[]> {
  const text = await readFile(new URL('alerts.yml', folder), 'utf8');
  return rules.parse(parse(text)).groups.flatMap((group) => group.rules);
}

const panel = z.looseObject({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.looseObject({ expr: z.string(), legendFormat: z.string() })).default([]),
});

export type Panel = z.output<typeof panel>;

export async function readPanels(): Promise<readonly Panel[]> {
  const text = await readFile(new URL('grafana/paddock.json', folder), 'utf8');
  return z.looseObject({ panels: z.array(panel).min(1) }).parse(JSON.parse(text)).panels;
}

export interface Expression {
  /** Which alarm or panel asks. */
  readonly where: string;
  readonly text: string;
}

export async function allExpressions(): Promise<readonly Expression[]> {
  const [alerts, panels] = await Promise.all([readAlerts(), readPanels()]);
  return [
    ...alerts.map((each) => ({ where: each.alert, text: each.expr })),
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ where: title, text: expr })),
    ),
  ];
}

/** A metric, and the labels that somebody tells its series apart by. */
export interface UsedMetric {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Those that Prometheus itself gives every series, or every bucket. */
const given = new Set(['instance', 'job', 'le']);

/** Throws where it is no PromQL. */
export function metricsOf(text: string): readonly UsedMetric[] {
  const tree = parser.parse(text);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`no PromQL from its character ${from + 1}: ${text}`);
    },
  });
  const all = (node: SyntaxNode, name: string): SyntaxNode[] => {
    const found: SyntaxNode[] = [];
    node.cursor().iterate((each) => {
      // What is found lies within: a cursor goes on to the siblings of where it began.
      if (each.name === name && each.from >= node.from && each.to <= node.to) found.push(each.node);
    });
    return found;
  };
  const textOf = (node: SyntaxNode | null) => (node === null ? '' : text.slice(node.from, node.to));
  const labelsIn = (node: SyntaxNode) => all(node, 'LabelName').map(textOf);
  const groups = all(tree.topNode, 'AggregateExpr').map((node) => ({
    node,
    labels: all(node, 'GroupingLabels').slice(0, 1).flatMap(labelsIn),
  }));
  return all(tree.topNode, 'VectorSelector').map((selector) => {
    const around = groups.filter(
      ({ node }) => node.from <= selector.from && node.to >= selector.to,
    );
    const labels = [...labelsIn(selector), ...around.flatMap((group) => group.labels)];
    const metric = metricOf(textOf(selector.getChild('Identifier')));
    return { metric, labels: labels.filter((label) => !given.has(label)) };
  });
}

const families = new Set(Object.keys(histograms).map((name) => name.replaceAll('.', '_')));

/** A histogram is shown as three. */
function metricOf(name: string): string {
  const family = name.replace(/_(bucket|count|sum)$/, '');
  return families.has(family) ? family : name;
}

/** What dashboard and alarms ask of our processes; `up` is Prometheus's own. */
export async function usedMetrics() {
  const expressions = await allExpressions();
  return expressions
    .flatMap(({ where, text }) => metricsOf(text).map((used) => ({ ...used, where })))
    .filter(({ metric }) => metric !== 'up');
}
