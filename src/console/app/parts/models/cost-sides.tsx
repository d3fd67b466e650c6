import type { Schemas } from '../../api/client';
import bars from '../../charts/bars.module.css';
import { FEWEST } from '../../charts/distribution';
import { Facts } from '../page';
import { Status } from '../status';
import { duration, money } from '../units';

/** What several pages show of a report of costs. */

export type CostReport = Schemas['CostReportView'];

const MS = 1e6;
const SECOND = 1e9;
const TOO_FEW = 'too few requests';

interface CostSidesProps {
  readonly report: CostReport;
  /** How many requests the means are of, if it is known: few have none. */
  readonly requests?: number;
}

/** What ran, beside what would have run if nothing ever slept. */
export function CostSides({ report, requests = FEWEST }: CostSidesProps) {
  const { baseline, treatment, variance, treatment_quality: quality } = report;
  const isEnough = requests >= FEWEST;
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
          ['Share saved', report.savings_pct < 0 ? 'none' : `${report.savings_pct.toFixed(0)} %`],
          ['Node time saved', signed(report.node_seconds_saved)],
          ['Requests refused', isEnough ? `${(100 * quality.refusal_rate).toFixed(1)} %` : TOO_FEW],
          [
            'Mean time to the first token',
            quality.avg_ttft_ms === null ? '–' : isEnough ? duration(quality.avg_ttft_ms * MS) : TOO_FEW,
          ],
          ['Compared with', 'the dearest target of each route, always active on one replica'],
        ]}
      />
    </>
  );
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
