import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Page, Section } from '../../parts/page';
import { Loaded } from '../../parts/states';
import { plural } from '../../parts/units';
import { Figures } from './figures';
import { LatestFailures } from './latest-failures';
import { OperationsStrip } from './operations-strip';
import { stripQuery, summaryQuery } from './overview-queries';

export function OverviewPage() {
  const summary = useQuery(summaryQuery);
  const strip = useQuery(stripQuery);
  const attempts = summary.data?.attempts;
  const drawn = strip.data?.operations.length;
  return (
    <Page title="Overview">
      <Figures summary={summary} />
      <Section
        title="Operations of the last 24 hours"
        summary={
          drawn !== undefined &&
          attempts !== undefined &&
          `One mark for each attempt. ${strip.data?.isWhole ? `All ${plural(drawn, 'attempt')}` : `The newest ${drawn} of ${plural(attempts, 'attempt')}`} drawn.`
        }
        aside={
          <Link to="/operations" search={{ window: '24h' }}>
            Show as table
          </Link>
        }
      >
        <Loaded query={strip} lines={5}>
          {(data) => <OperationsStrip {...data} />}
        </Loaded>
      </Section>
      <LatestFailures />
    </Page>
  );
}
