import { Button, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Picture } from '../../parts/picture';
import { Page, Section } from '../../parts/page';
import { WINDOW_NAMES, WINDOWS, type Window } from '../../parts/search';
import { Loaded, NothingYet } from '../../parts/states';
import { Choice } from '../../parts/table/filters';
import { money, plural, share } from '../../parts/units';
import { CostBars } from './cost-bars';
import { CostDays } from './cost-days';
import { costsOf, csvOf, IDLE, type Cost, type CostRow } from './cost-parts';
import { CostTable } from './cost-table';
import { breakdownQuery, dailyQuery, protectedQuery, reportQuery, startsQuery } from './costs-queries';
import type { CostsSearch } from './costs-search';
import { Restoring, Savings } from './savings';
import styles from './costs.module.css';

const route = getRouteApi('/costs');

const DEFAULT_WINDOW: Window = '7d';

const HOUR_S = 3_600;
const DAY_HOURS = 24;

/** More bars cannot be read at a glance; the table has all profiles. */
const DRAWN = 20;

const HOW = `curl -X POST ${window.location.origin}/v1/inference/profiles \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d @profile.json`;

export function CostsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<CostsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const window = search.window ?? DEFAULT_WINDOW;
  const hours = WINDOWS[window] / HOUR_S;
  const words = WINDOW_NAMES[window];
  // A day or less is no picture of days, and a window need not begin at midnight.
  const hasDays = hours > DAY_HOURS;
  const isByDay = search.by === 'day' && hasDays;
  const breakdown = useQuery(breakdownQuery(hours, !isByDay));
  const daily = useQuery(dailyQuery(hours / DAY_HOURS, isByDay));
  return (
    <Page title="Costs">
      <div className={styles.controls}>
        <Choice
          label="Time"
          words={Object.keys(WINDOWS) as Window[]}
          value={window}
          change={(chosen) => change({ window: chosen === DEFAULT_WINDOW ? undefined : chosen })}
        />
        {hasDays && (
          <Choice
            label="Costs of what"
            all="By profile"
            words={{ day: 'By day' }}
            value={search.by}
            change={(by) => change({ by })}
          />
        )}
        <Switch
          label="Idle time counts"
          checked={search.idle !== 'without'}
          onChange={(event) => change({ idle: event.currentTarget.checked ? undefined : 'without' })}
        />
      </div>
      <Restoring starts={useQuery(startsQuery(hours))} work={useQuery(protectedQuery)} words={words} />
      <Savings report={useQuery(reportQuery(hours))} words={words} />
      {isByDay ? (
        <Loaded query={daily} lines={6}>
          {({ days }) => (
            <CostDays
              days={days}
              withIdle={search.idle !== 'without'}
              isTable={search.show === 'table'}
              show={(isTable) => change({ show: isTable ? 'table' : undefined })}
            />
          )}
        </Loaded>
      ) : (
        <Loaded query={breakdown} lines={6}>
          {({ rows, next }) => (
            <Breakdown rows={rows} isPart={next !== undefined} search={search} change={change} words={words} />
          )}
        </Loaded>
      )}
    </Page>
  );
}

interface BreakdownProps {
  readonly rows: readonly CostRow[];
  readonly isPart: boolean;
  readonly search: CostsSearch;
  readonly change: (part: Partial<CostsSearch>) => void;
  readonly words: string;
}

function Breakdown({ rows, isPart, search, change, words }: BreakdownProps) {
  if (rows.length === 0)
    return (
      <Section title="Costs of profiles">
        <NothingYet title="There is no profile yet" command={HOW}>
          A profile describes a model and how its workers start. Create one:
        </NothingYet>
      </Section>
    );
  const costs = costsOf(rows, search.idle !== 'without');
  return (
    <>
      <Picture
        title="Where the money went"
        summary={summaryOf(costs, words, search.idle !== 'without')}
        isTable={search.show === 'table'}
        show={(isTable) => change({ show: isTable ? 'table' : undefined })}
        table={<CostTable costs={costs} />}
      >
        <CostBars bars={costs.slice(0, DRAWN).map((cost) => ({ ...cost, label: cost.profile }))} />
      </Picture>
      {search.show !== 'table' && (
        <Section
          title="Costs of profiles"
          summary={`${isPart ? 'the first ' : ''}${plural(rows.length, 'profile')}; held: all node time counts, used: only with a request in flight`}
          aside={
            <Button size="compact-xs" variant="default" onClick={() => download(costs, words)}>
              Download CSV
            </Button>
          }
        >
          <CostTable costs={costs} />
        </Section>
      )}
    </>
  );
}

function summaryOf(costs: readonly Cost[], words: string, withIdle: boolean): string {
  const total = costs.reduce((sum, cost) => sum + cost.total, 0);
  const idle = costs.reduce((sum, { parts }) => sum + IDLE.reduce((all, part) => all + parts[part], 0), 0);
  const drawn = costs.length > DRAWN ? `; the dearest ${DRAWN} of ${costs.length} profiles are drawn` : '';
  const ofIt = withIdle ? `, ${share(idle, total)} of it idle` : ', idle time left out';
  return `${money(total)} in the ${words}${ofIt}${drawn}`;
}

/** The rows of the table, as a file. */
function download(costs: readonly Cost[], words: string): void {
  const address = URL.createObjectURL(new Blob([csvOf(costs)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `costs ${words}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
