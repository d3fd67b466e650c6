import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { Facts, Section } from '../../parts/page';
import { CostSides } from '../../parts/models/cost-sides';
import { Loaded } from '../../parts/states';
import { count, duration, money, plural } from '../../parts/units';

type Report = Schemas['CostReportView'];
type Analytics = Schemas['AnalyticsView'];
type Protected = Schemas['CheckpointSavingsSummaryView'];

const MS = 1e6;
const SECOND = 1e9;

/** What was paid, beside what would have been paid if nothing ever slept. */
export const Savings = ({ report, words }: { report: UseQueryResult<Report>; words: string }) => (
  <Section title="Savings" summary={report.data && savingsOf(report.data, words)}>
    <Loaded query={report} lines={4}>
      {(data) => <CostSides report={data} />}
    </Loaded>
  </Section>
);

function savingsOf({ baseline, savings_usd: saved }: Report, words: string): string {
  if (baseline.cost_usd === 0) return 'Nothing to compare with: no route has a target with a price';
  return saved >= 0
    ? `Sleeping and restoring saved ${money(saved)} in the ${words}`
    : `It cost ${money(-saved)} more than always running in the ${words}`;
}

interface RestoringProps {
  readonly starts: UseQueryResult<Analytics>;
  readonly work: UseQueryResult<Protected>;
  readonly words: string;
}

/** What restoring saved: time until workers were ready, and work that a failure did not destroy. */
export const Restoring = ({ starts, work, words }: RestoringProps) => (
  <Section title="What restoring saved" summary={starts.data && restoringOf(starts.data, words)}>
    <Loaded query={starts} lines={2}>
      {({ startup: { cold, restore, speedup_p50: speedup }, evidence }) => (
        <Facts
          of={[
            ['Cold start, median', cold === null ? 'not measured' : sampleOf(cold)],
            ['Restored start, median', restore === null ? 'not measured' : sampleOf(restore)],
            ['Ready', speedup === null ? '–' : `${speedup.toFixed(1)} times as fast`],
            ['Evidence', evidence === 'none' ? 'nothing was measured' : evidence],
          ]}
        />
      )}
    </Loaded>
    <Loaded query={work} lines={2}>
      {(data) => (
        <Facts
          of={[
            ['Pods and jobs protected, of all time', count(data.pods_protected ?? 0)],
            [
              'Checkpoints',
              <Link key="all" to="/operations" search={{ kind: 'checkpoint', result: 'succeeded' }}>
                {count(data.total_checkpoints ?? 0)}
              </Link>,
            ],
            ['Work protected', duration((data.total_time_protected_seconds ?? 0) * SECOND)],
            ['Worth', `${money(data.total_estimated_savings ?? 0)}, where the price is known`],
          ]}
        />
      )}
    </Loaded>
  </Section>
);

/** Few measurements say nothing about the next start, so no sum is made of them. */
const FEWEST = 5;

function restoringOf({ startup: { cold, restore, saved_p50_ms: saved } }: Analytics, words: string): string {
  if (restore === null || restore.samples === 0) return `No restored start was measured in the ${words}`;
  if (cold === null || saved === null || Math.min(cold.samples, restore.samples) < FEWEST)
    return `${plural(restore.samples, 'restored start')} in the ${words}: too few to compare`;
  if (saved <= 0) return `Restoring was not faster than starting in the ${words}`;
  return `${plural(restore.samples, 'restored start')} in the ${words}, each ready ${duration(saved * MS)} sooner: about ${duration(saved * MS * restore.samples)} in total`;
}

const sampleOf = ({ p50_ms: p50, samples }: { p50_ms: number; samples: number }): string =>
  samples === 0 ? `${duration(p50 * MS)}, estimated` : `${duration(p50 * MS)} (n = ${count(samples)})`;
