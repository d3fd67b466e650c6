import { operations, type DescribedOperation } from '../../../support/description';

/** Lists without pages, and why. */
const WHOLE: Readonly<Record<string, string>> = {
  list_outbox_events: 'Ordered events have a cursor.',
  list_usage_series: 'A series covers its whole window.',
  list_slurm_cpu_load: 'A series covers its whole window.',
  list_pod_metrics: 'The interface gives it a limit of its own, and nothing else.',
  list_top_cpu_pods: 'The interface gives it a limit of its own, and nothing else.',
  list_top_memory_pods: 'The interface gives it a limit of its own, and nothing else.',
  list_outbox_consumers: 'It has at most 1,000 rows.',
};

/** Lists that nothing in their path restricts. */
export const pagedLists = (): DescribedOperation[] =>
  operations().filter(({ id, method, path, responses }) => {
    const schema: { type?: string } | undefined = responses['200']?.content?.['application/json']?.schema;
    return method === 'get' && !path.includes('{') && schema?.type === 'array' && !(id in WHOLE);
  });
