import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { invalidField } from '../../../1-platform/common/answers/problem';
import { sliceOf } from '../../../1-platform/common/answers/paging';
import { Clock } from '../../../1-platform/common/clock';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import {
  DEFAULT_SCHEDULED,
  HOUR_SECONDS,
  HOURLY_DAYS,
  LONG_BUCKET_SECONDS,
  MAX_SPAN_DAYS,
  type PolicyScheduleQuery,
} from './schedule.dto';
import {
  heartbeatFirings,
  nextFirings,
  scheduledPolicies,
  waitingPolicies,
  windowCounts,
  type Span,
} from './schedule.queries';
import type { Schedule } from './schedule.views';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** Times on the wire have four digits for the year. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** When policies fired, and when they will. */
@Injectable()
export class ScheduleService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  find(context: OrgContext, query: PolicyScheduleQuery): Promise<Schedule> {
    const span = spanOf(query, this.clock.now());
    const slice = sliceOf(query, DEFAULT_SCHEDULED);
    return this.unitOfWork.read(context, async (tx) => {
      const { policies, total, at } = await scheduledPolicies(tx, span, query.policy_id, slice);
      const ids = policies.map(({ id }) => id);
      const firings = await heartbeatFirings(tx, ids, span);
      const windows = await windowCounts(tx, ids);
      const next = await nextFirings(tx);
      return { span, at, total, policies, firings, windows, next, waiting: await waitingPolicies(tx) };
    });
  }
}

/** @throws Problem if the span is empty or too long */
export function spanOf({ from, until }: Pick<PolicyScheduleQuery, 'from' | 'until'>, now: Date): Span {
  const start = from === undefined ? undefined : Date.parse(from.toUpperCase());
  const end = until === undefined ? undefined : Date.parse(until.toUpperCase());
  const first = start ?? (end ?? now.getTime() + WEEK_MS / 2) - WEEK_MS;
  const last = end ?? Math.min(first + WEEK_MS, LAST_MS);
  if (last <= first) throw invalidField('until', 'must be after from');
  if (last - first > MAX_SPAN_DAYS * DAY_MS)
    throw invalidField('until', `must be at most ${MAX_SPAN_DAYS} days after from`);
  const bucketSeconds = last - first <= HOURLY_DAYS * DAY_MS ? HOUR_SECONDS : LONG_BUCKET_SECONDS;
  return { from: new Date(first), until: new Date(last), bucketSeconds };
}
