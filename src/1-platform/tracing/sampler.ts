import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';

const PARENT_BASED = 'parentbased_';
const DEFAULT = `${PARENT_BASED}always_on`;

/** What `OTEL_TRACES_SAMPLER` and its argument name, as OpenTelemetry's specification defines them. */
export function samplerOf(source: Readonly<Record<string, string | undefined>>): Sampler {
  const name = source.OTEL_TRACES_SAMPLER || DEFAULT;
  const root = rootSampler(name.replace(PARENT_BASED, ''), Number(source.OTEL_TRACES_SAMPLER_ARG ?? 1));
  return name.startsWith(PARENT_BASED) ? new ParentBasedSampler({ root }) : root;
}

/** @param ratio of the traces that are kept, 0 to 1 */
function rootSampler(name: string, ratio: number): Sampler {
  switch (name) {
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
    default:
      return new AlwaysOnSampler();
  }
}
