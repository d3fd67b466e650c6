import { Code, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EndExperiment } from '../../actions/experiments/end-experiment';
import { experimentQuery, type Experiment } from '../../api/experiments';
import { problemFrom } from '../../api/problem';
import { ExperimentState } from '../../parts/models/experiments';
import { Facts, Page, Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { useNow } from '../../parts/time/clock';
import { Moment } from '../../parts/time/moment';
import { duration } from '../../parts/units';
import { TABS, type ExperimentSearch, type Tab } from './experiment-search';
import { Linked } from './linked';
import { Result } from './result';
import { StartsTab } from './starts-tab';
import styles from './experiment.module.css';

const route = getRouteApi('/experiments/$id');

const LABELS: Readonly<Record<Tab, string>> = {
  result: 'Baseline against treatment',
  starts: 'Cold against restored',
  linked: 'What belongs to it',
};

export function ExperimentPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(experimentQuery(id));
  const change = (part: Partial<ExperimentSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const choose = (chosen: string | null) => void navigate({ search: { tab: TABS.find((one) => one === chosen) } });
  const { data } = query;
  return (
    <Page
      title={data?.name ?? 'Experiment'}
      beside={data && <ExperimentState status={data.status} />}
      actions={
        data && (
          <>
            <EndExperiment of={data} as="completed" />
            <EndExperiment of={data} as="cancelled" />
          </>
        )
      }
    >
      {problemFrom(query.error).isMissing ? (
        <NothingYet title="There is no experiment with this id">
          <Link to="/experiments">Show all experiments</Link>
        </NothingYet>
      ) : (
        <Loaded query={query}>
          {(experiment) => (
            <>
              <About of={experiment} />
              <Tabs value={search.tab ?? 'result'} onChange={choose} keepMounted={false}>
                <Tabs.List className={styles.tabs}>
                  {TABS.map((one) => (
                    <Tabs.Tab key={one} value={one}>
                      {LABELS[one]}
                    </Tabs.Tab>
                  ))}
                </Tabs.List>
                <Tabs.Panel value="result">
                  <Result of={experiment} />
                </Tabs.Panel>
                <Tabs.Panel value="starts">
                  <StartsTab of={experiment} search={search} change={change} />
                </Tabs.Panel>
                <Tabs.Panel value="linked">
                  <Linked of={experiment} />
                </Tabs.Panel>
              </Tabs>
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function About({ of }: { of: Experiment }) {
  const now = useNow();
  const { profile_id: profile, completed_at: end, started_at: start, parameters } = of;
  const ms = (end === null ? now : Date.parse(end)) - Date.parse(start);
  const text = JSON.stringify(parameters, undefined, 2);
  return (
    <Section title="Experiment" summary={of.scenario}>
      <Facts
        of={[
          [
            'Profile',
            profile === null ? (
              'none: only requests that name it'
            ) : (
              <Link key="profile" to="/profiles/$id" params={{ id: profile }}>
                {profile}
              </Link>
            ),
          ],
          ['Started', <Moment key="start" at={start} />],
          ['Ended', end === null ? 'not yet' : <Moment key="end" at={end} />],
          [end === null ? 'Has run for' : 'Ran for', duration(Math.max(0, ms) * 1e6)],
          ['Id', <Code key="id">{of.id}</Code>],
        ]}
      />
      {text !== undefined && text !== '{}' && (
        <div className={styles.parameters}>
          <span>Parameters</span>
          <pre tabIndex={0} aria-label="Parameters">
            {text}
          </pre>
        </div>
      )}
    </Section>
  );
}
