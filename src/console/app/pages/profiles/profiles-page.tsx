import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { activationsQuery, intentsQuery, profilesQuery, startsQuery } from '../../api/serving';
import { Page, Section } from '../../parts/page';
import { staffingText, startWord } from '../../parts/models/profile-facts';
import { PhaseStatus } from '../../parts/models/profiles';
import { Loaded, Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter } from '../../parts/table/filters';
import { sourceOf } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { count, duration, plural } from '../../parts/units';
import { matching, profileRows, type ProfileRow } from './profile-rows';
import { STATES, type ProfilesSearch, type State } from './profiles-search';
import styles from './profiles.module.css';

const route = getRouteApi('/profiles');

const HOW = `curl -X POST ${window.location.origin}/v1/inference/profiles \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"profile_id": "llama-8b", "logical_model": "llama-8b", "spec": {},
       "exact_model": "meta-llama/Llama-3.1-8B-Instruct", "backend_url": "http://llama-8b.models.svc:8000"}'`;

export function ProfilesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<ProfilesSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const clear = () => void navigate({ search: {} as ProfilesSearch });
  const profiles = useQuery(profilesQuery);
  const [activations, intents, starts] = [
    useQuery(activationsQuery()),
    useQuery(intentsQuery()),
    useQuery(startsQuery()),
  ];
  const all = profileRows(profiles.data?.rows ?? [], {
    activations: activations.data?.rows ?? [],
    intents: intents.data?.rows ?? [],
    starts: starts.data?.rows,
  });
  const rows = matching(all, search);
  const failed = [activations, intents, starts].find(({ isError }) => isError);
  // Unless both are here, a profile that runs would seem asleep.
  const isKnown = activations.data !== undefined && intents.data !== undefined;
  const isUnread = [activations, intents].some(({ data, isError }) => data === undefined && isError);
  return (
    <Page title="Profiles">
      <Section
        title="How each model is hosted"
        summary={profiles.data && isKnown ? summaryOf(all, profiles.data.next !== undefined) : undefined}
      >
        <Filters label="Filter profiles">
          <Choice label="State" all="All" words={STATES} value={search.state} change={(state) => change({ state })} />
          <NameFilter label="Profile or model" value={search.name} change={(name) => change({ name })} />
        </Filters>
        {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
        {profiles.data !== undefined && !isKnown ? (
          !isUnread && <Loading lines={6} />
        ) : (
          <Loaded query={profiles} lines={6}>
            {() =>
              all.length === 0 ? (
                <NothingYet title="There is no profile yet" command={HOW}>
                  A profile describes a model and how its workers start. It is woken on demand, and sleeps as a
                  checkpoint.
                </NothingYet>
              ) : rows.length === 0 ? (
                <NothingMatches what="profiles" clear={clear} />
              ) : (
                <DataTable
                  label="Profiles"
                  columns={COLUMNS}
                  source={sourceOf(rows)}
                  keyOf={({ profile }) => profile.profile_id}
                />
              )
            }
          </Loaded>
        )}
      </Section>
    </Page>
  );
}

function summaryOf(rows: readonly ProfileRow[], goesOn: boolean): string {
  const counted = (state: State): number => rows.filter((row) => row.state === state).length;
  const counts = STATES.filter((state) => counted(state) > 0).map((state) => `${count(counted(state))} ${state}`);
  const whole = goesOn ? `the first ${plural(rows.length, 'profile')} by id` : plural(rows.length, 'profile');
  return counts.length === 0 ? whole : `${whole}: ${counts.join(', ')}`;
}

const COLUMNS: readonly Column<ProfileRow>[] = [
  {
    id: 'profile',
    header: 'Profile',
    width: 'minmax(11rem, 1.2fr)',
    cell: ({ profile }) => (
      <div>
        <Link to="/profiles/$id" params={{ id: profile.profile_id }} className={styles.name}>
          {profile.profile_id}
        </Link>
        <div className={styles.quiet}>{profile.exact_model}</div>
      </div>
    ),
  },
  {
    id: 'phase',
    header: 'Phase',
    width: 'minmax(11rem, 2fr)',
    cell: ({ profile, phase, trouble }) => (
      <div className={styles.phase}>
        <PhaseStatus phase={phase} />
        {profile.enabled === false && <span className={styles.quiet}>disabled</span>}
        {trouble !== undefined && <span className={styles.trouble}>{trouble}</span>}
      </div>
    ),
  },
  {
    id: 'workers',
    header: 'Ready of wanted',
    width: '7rem',
    align: 'end',
    cell: ({ staffing }) => staffingText(staffing),
  },
  {
    id: 'start',
    header: 'Last start',
    width: 'minmax(9rem, 1fr)',
    cell: ({ lastStart: start }) =>
      start ? (
        <div>
          {startWord(start.restored)}, {duration(start.start_time_ms * 1e6)}
          {start.ready_at !== null && (
            <div className={styles.quiet}>
              <Moment at={start.ready_at} />
            </div>
          )}
        </div>
      ) : (
        <span className={styles.quiet}>{start === null ? 'none measured' : '–'}</span>
      ),
  },
  { id: 'hosting', header: 'Hosting', width: '7.5rem', cell: ({ profile }) => profile.hosting_mode },
  {
    id: 'model',
    header: 'Model',
    width: 'minmax(7rem, 1fr)',
    cell: ({ profile }) => (
      <Link to="/routes/$model" params={{ model: profile.logical_model }}>
        {profile.logical_model}
      </Link>
    ),
  },
];
