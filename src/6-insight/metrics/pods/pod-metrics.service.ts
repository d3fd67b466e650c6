import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { earlier, HOUR_MS, windowUpToNow } from '../metric-window.queries';
import {
  DEFAULT_HOURS,
  DEFAULT_ROWS,
  DEFAULT_TOP,
  type PodMetricsQuery,
  type PodMetricView,
  type PodTopView,
  type TopPodsQuery,
} from './pod-metrics.dto';
import { podRows, topPods } from './pod-metrics.queries';

/**
 * Parts of the window that are read one after the other, newest first, until they hold the requested number
 * of samples: finding the newest samples does not read a week of a large cluster.
 */
const LOOKED_INTO_MS = [HOUR_MS / 60, HOUR_MS / 12, HOUR_MS, 6 * HOUR_MS, 36 * HOUR_MS];

@Injectable()
export class PodMetricsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: PodMetricsQuery): Promise<PodMetricView[]> {
    const { limit = DEFAULT_ROWS, hours = DEFAULT_HOURS } = query;
    const filter = { podUid: query.pod_uid, nodeName: query.node_name };
    const wholeMs = hours * HOUR_MS;
    return this.unitOfWork.read(context, async (tx) => {
      const window = await windowUpToNow(tx, wholeMs);
      for (const lengthMs of LOOKED_INTO_MS.filter((ms) => ms < wholeMs)) {
        const rows = await podRows(tx, { from: earlier(window.to, lengthMs), to: window.to }, filter, limit);
        if (rows.length === limit) return rows;
      }
      return podRows(tx, window, filter, limit);
    });
  }

  top(context: OrgContext, by: 'cpu' | 'memory', { limit = DEFAULT_TOP }: TopPodsQuery): Promise<PodTopView[]> {
    return this.unitOfWork.read(context, async (tx) => topPods(tx, by, (await windowUpToNow(tx, 0)).to, limit));
  }
}
