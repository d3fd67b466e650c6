import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { Page, sliceOf } from '../../../1-platform/common/answers/paging';
import { invalidField } from '../../../1-platform/common/answers/problem';
import { commaJoined } from '../../../1-platform/common/fields/comma-joined';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { MAX_METRICS, type K8DetailsQuery, type K8MetricDetailView, type K8MetricView } from './k8-details.dto';
import { details, type DetailRow } from './k8-details.queries';
import { CURRENT_MS, windowUpToNow } from '../metric-window.queries';

@Injectable()
export class K8DetailsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: K8DetailsQuery): Promise<Page<K8MetricView>> {
    const slice = sliceOf(query);
    const filter = {
      name: query.name,
      part: query.name_part,
      collector: query.collector_type,
      metrics: metricsOf(query.metric_names),
    };
    return this.unitOfWork.read(context, async (tx) => {
      const found = await details(tx, await windowUpToNow(tx, CURRENT_MS), filter, slice);
      const nodes = new Map<string, K8MetricView>();
      for (const row of found) {
        const node = nodes.get(row.name) ?? { name: row.name, details: [] };
        if (row.metric_name !== null) node.details.push(detailView(row, row.metric_name));
        nodes.set(row.name, node);
      }
      return Page.within({ rows: [...nodes.values()], found: found[0]?.found ?? 0 }, slice);
    });
  }
}

function metricsOf(text: string | undefined): string[] | undefined {
  const names = commaJoined('metric_names', text, (name) => name, 'names of metrics');
  if (names !== undefined && names.length > MAX_METRICS)
    throw invalidField('metric_names', `must be at most ${MAX_METRICS} names of metrics, separated by commas`);
  return names;
}

const detailView = (row: DetailRow, metricName: string): K8MetricDetailView => ({
  collector: row.collector,
  cpu_core: row.cpu_core,
  cpu_mode: row.cpu_mode,
  filesystem: row.filesystem,
  metric_name: metricName,
  mountpoint: row.mountpoint,
  resource: resourceOf(row.labels),
  timestamp: row.timestamp,
  value: String(row.value),
});

/** Labels of the scrape, which do not describe the value. */
const OF_TARGET = ['job', 'instance', 'endpoint', 'service', 'prometheus', 'namespace', 'pod', 'container'];

const resourceOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([name]) => !OF_TARGET.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(',');
