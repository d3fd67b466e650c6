import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import type { Experiment } from '../../api/experiments';
import { FEWEST } from '../../charts/distribution';
import { CostSides, meanOf, type CostReport } from '../../parts/models/cost-sides';
import { Facts, Section } from '../../parts/page';
import { Loaded } from '../../parts/states';
import { count, duration, money, plural } from '../../parts/units';
import { analyticsQuery, costQuery, hoursOf, MOST_HOURS } from './experiment-queries';
import styles from './experiment.module.css';

type Analytics = Schemas['AnalyticsView'];

const MS = 1e6;

/** What it cost and how its requests went, beside what always running would have cost in its time. */
export function Result({ of }: { of: Experiment }) {
  const costs = useQuery(costQuery(of));
  const analytics = useQuery(analyticsQuery(of));
  return (
    <>
      {hoursOf(of) > MOST_HOURS && (
        <p className={styles.warning}>
          It began more than 90 days ago. Reports reach no further back, so these figures lack its beginning.
        </p>
      )}
      {of.profile_id === null && (
        <p className={styles.note}>
          It has no profile, so the costs are those of all profiles while it ran. The requests are those that name it.
        </p>
      )}
      <Section title="Costs" summary={costs.data && sentenceOf(costs.data)}>
        <Loaded query={costs} lines={4}>
          {(report) => <CostSides report={report} />}
        </Loaded>
      </Section>
      <Section title="Requests" summary={analytics.data && requestsOf(analytics.data)}>
        <Loaded query={analytics} lines={3}>
          {(data) => <Requests of={data} />}
        </Loaded>
      </Section>
    </>
  );
}

function sentenceOf({ baseline, treatment, savings_usd: saved }: CostReport): string {
  if (baseline.cost_usd === 0 && treatment.cost_usd === 0) return 'Nothing has a price: save prices of profiles first';
  if (baseline.cost_usd === 0) return `What ran cost ${money(treatment.cost_usd)}; there is nothing to compare it with`;
  return saved >= 0
    ? `What ran cost ${money(treatment.cost_usd)}, ${money(saved)} less than always running in its time`
    : `What ran cost ${money(treatment.cost_usd)}, ${money(-saved)} more than always running in its time`;
}

function requestsOf({ serving: { requests, fallbacks } }: Analytics): string {
  if (requests === 0) return 'No request belongs to it';
  const few = requests < FEWEST ? '; too few for a mean' : '';
  return `${plural(requests, 'request')}, ${plural(fallbacks, 'fallback')}${few}`;
}

function Requests({ of: { serving, startup } }: { of: Analytics }) {
  return (
    <Facts
      of={[
        ['Requests', count(serving.requests)],
        ['Fallbacks', count(serving.fallbacks)],
        ['Deadlines missed', count(serving.deadline_misses)],
        ['Prompt tokens', count(serving.prompt_tokens)],
        ['Completion tokens', count(serving.completion_tokens)],
        [
          'Mean time to the first token',
          meanOf(serving.average_ttft_ms, serving.ttft_count, (ms) => duration(ms * MS)),
        ],
        [
          'Tokens a second of a request',
          meanOf(serving.tokens_per_second, serving.timed_count ?? 0, (pace) => pace.toFixed(1)),
        ],
        ['Waiting for a ready worker', sampleOf(startup.warm)],
        ['Waiting for a restored start', sampleOf(startup.restore)],
        ['Waiting for a cold start', sampleOf(startup.cold)],
      ]}
    />
  );
}

/** Its middle and its spread; few measurements have neither. */
function sampleOf(sample: Analytics['startup']['cold']): string {
  if (sample === null) return 'not measured';
  if (sample.samples === 0) return `${duration(sample.p50_ms * MS)}, estimated`;
  if (sample.samples < FEWEST) return `measured ${plural(sample.samples, 'time')}: too few`;
  const most = sample.p95_ms === null ? '' : `, p95 ${duration(sample.p95_ms * MS)}`;
  return `p50 ${duration(sample.p50_ms * MS)}${most} (n = ${count(sample.samples)})`;
}
