import type { Schemas } from '../../api/client';
import bars from '../../charts/bars.module.css';
import { FEWEST } from '../../charts/distribution';
import { Facts } from '../page';
import { Status } from '../status';
import { count, duration, money } from '../units';

/** What several pages show of a report of costs. */

/** A mean beside the number of requests that it is of; few requests have none. */
export function meanOf(value: number | null, requests: number, words: (known: number) => string): string {
  if (value === null) return 'not reported';
  return requests < FEWEST ? TOO_FEW : `${words(value)} (n = ${count(requests)})`;
}

export type CostReport = Schemas['CostReportView'];

const MS = 1e6;
const SECOND = 1e9;
const TOO_FEW = 'too few requests';

/** What ran, beside what would have run if nothing ever slept. */
export function CostSides({ report }: { readonly report: CostReport }) {
  const { baseline, treatment, variance, treatment_quality: quality } = report;
  const most = Math.max(baseline.cost_usd, treatment.cost_usd);
  return (
    <>
      <ul className={bars.bars}>
        <Side label="Always running" usd={baseline.cost_usd} most={most} part="waiting" />
        <Side label="What ran" usd={treatment.cost_usd} most={most} part="busy" />
      </ul>
      {variance !== null && (
        <p className={bars.note}>
          <Status tone="warn">Read with care</Status> {variance}
        </p>
      )}
      <Facts
        of={[
          ['Share saved', shareSaved(report)],
          ['Node time saved', signed(report.node_seconds_saved)],
          ['Requests refused', quality.requests < FEWEST ? TOO_FEW : `${(100 * quality.refusal_rate).toFixed(1)} %`],
          ['Mean time to the first token', meanOf(quality.avg_ttft_ms, quality.ttft_count, (ms) => duration(ms * MS))],
          ['Compared with', 'the dearest target of each route, always active on one replica'],
        ]}
      />
    </>
  );
}

/** Nothing to compare with is no share of zero. */
function shareSaved({ baseline, savings_pct: share }: CostReport): string {
  if (baseline.cost_usd === 0) return '–';
  return share < 0 ? 'none' : `${share.toFixed(0)} %`;
}

const signed = (seconds: number): string =>
  seconds < 0 ? `none: ${duration(-seconds * SECOND)} more` : duration(seconds * SECOND);

interface SideProps {
  readonly label: string;
  readonly usd: number;
  readonly most: number;
  readonly part: 'busy' | 'waiting';
}

const Side = ({ label, usd, most, part }: SideProps) => (
  <li>
    <span className={bars.name}>{label}</span>
    <span className={bars.track} aria-hidden="true">
      <span data-part={part} style={{ width: `${most === 0 ? 0 : (100 * usd) / most}%` }} />
    </span>
    <span className={bars.amount}>{money(usd)}</span>
  </li>
);
