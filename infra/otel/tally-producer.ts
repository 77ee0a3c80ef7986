import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { type CounterName, counters, type HistogramName, histograms } from '../ports/metrics.ts';
import type { Tallies } from '../telemetry/tallies.ts';

/** Shows what a process counted itself to a reader of OpenTelemetry's, beside what its instruments did. */
export function tallyProducer(tallies: Tallies): MetricProducer {
  const startTime = hrTime();
  return {
    async collect(): Promise<CollectionResult> {
      const span = { startTime, endTime: hrTime() };
      const metrics = [...sumsOf(tallies, span), ...distributionsOf(tallies, span)];
      // The reader takes the resource of its own provider.
      const resource = emptyResource();
      const scopeMetrics = [{ scope: { name: 'paddock' }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const aggregationTemporality = AggregationTemporality.CUMULATIVE;
const valueType = ValueType.DOUBLE;

function sumsOf(tallies: Tallies, span: Span): readonly MetricData[] {
  const names = Object.keys(counters) as CounterName[];
  return names.flatMap((name) => {
    const { unit, description } = counters[name];
    const dataPoints = tallies.sums(name).map((each) => ({ ...span, ...each }));
    if (dataPoints.length === 0) return [];
    const descriptor = { name, unit, description, valueType };
    const type = { dataPointType: DataPointType.SUM, isMonotonic: true } as const;
    return [{ descriptor, aggregationTemporality, dataPoints, ...type }];
  });
}

function distributionsOf(tallies: Tallies, span: Span): readonly MetricData[] {
  const names = Object.keys(histograms) as HistogramName[];
  return names.flatMap((name) => {
    const { unit, description, buckets } = histograms[name];
    const dataPoints = tallies.distributions(name).map(({ attributes, counts, sum, count }) => {
      const value = { buckets: { boundaries: [...buckets], counts: [...counts] }, sum, count };
      return { ...span, attributes, value };
    });
    if (dataPoints.length === 0) return [];
    const descriptor = { name, unit, description, valueType };
    const dataPointType = DataPointType.HISTOGRAM as const;
    return [{ descriptor, aggregationTemporality, dataPoints, dataPointType }];
  });
}
