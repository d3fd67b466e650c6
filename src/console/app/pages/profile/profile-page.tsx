import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ProfileActions } from '../../actions/profile-actions';
import {
  activationsQuery,
  intentsQuery,
  profileQuery,
  startsQuery,
  type Activation,
  type Profile,
} from '../../api/serving';
import { StartsPicture } from '../../charts/starts/starts-picture';
import { Facts, Page, Section } from '../../parts/page';
import { staffingOf, staffingText, troubleOf, type Staffing } from '../../parts/models/profile-facts';
import { PhaseStatus } from '../../parts/models/profiles';
import { Loaded, NothingYet } from '../../parts/states';
import { Moment } from '../../parts/time/moment';
import { duration } from '../../parts/units';
import { LastStart } from './last-start';
import { artifactsQuery, restorableOf } from './profile-queries';
import { Artifacts, Wanted, Workers } from './profile-tables';
import styles from './profile.module.css';

const route = getRouteApi('/profiles/$id');

export function ProfilePage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const profile = useQuery(profileQuery(id));
  const [activations, intents, starts] = [
    useQuery(activationsQuery(id)),
    useQuery(intentsQuery(id)),
    useQuery(startsQuery(id)),
  ];
  const artifacts = useQuery(artifactsQuery(id));
  const activation = activations.data?.rows[0];
  const intent = intents.data?.rows[0];
  const trouble = activations.data && troubleOf(activation, intent);
  return (
    <Page
      title={id}
      beside={activations.data && <PhaseStatus phase={activation?.phase} />}
      actions={
        profile.data && (
          <ProfileActions
            profile={profile.data}
            intent={intent}
            starts={starts.data?.rows[0]}
            isReady={activations.data && activation?.ready === true}
            restorable={restorableOf(artifacts.data)}
          />
        )
      }
    >
      <Loaded query={profile}>
        {(data) => (
          <>
            {trouble !== undefined && (
              <div className={styles.trouble} role="alert">
                <strong>It does not serve</strong>
                <span>{trouble}</span>
                {activation && (
                  <span className={styles.quiet}>
                    Reported <Moment at={activation.updated_at} />
                  </span>
                )}
              </div>
            )}
            <About
              profile={data}
              activation={activation}
              staffing={activations.data && intents.data && staffingOf(activation, intent)}
            />
            <StartsPicture
              query={starts}
              starts={starts.data?.rows[0]}
              none={
                <NothingYet title="No start was measured yet">
                  Wake the profile: its controller reports each phase of the start, and the time until it is ready.
                </NothingYet>
              }
              isTable={search.starts === 'table'}
              show={(table) =>
                void navigate({
                  search: (before) => ({ ...before, starts: table ? ('table' as const) : undefined }),
                  replace: true,
                  resetScroll: false,
                })
              }
            />
            <LastStart id={id} />
            <Loaded query={activations}>{() => <Workers activation={activation} />}</Loaded>
            <Loaded query={intents}>{() => <Wanted intent={intent} />}</Loaded>
            <Artifacts profileId={id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function About({
  profile,
  activation,
  staffing,
}: {
  profile: Profile;
  activation: Activation | undefined;
  /** Undefined: not known. */
  staffing: Staffing | undefined;
}) {
  const { logical_model: model } = profile;
  return (
    <Section title="Profile" summary={profile.exact_model}>
      <Facts
        of={[
          [
            'Serves the model',
            <Link key="model" to="/routes/$model" params={{ model }}>
              {model}
            </Link>,
          ],
          ['Workers ready', staffing && staffingText(staffing)],
          ['Workers allowed', `${profile.min_replicas} to ${profile.max_replicas}`],
          ['Hosting', profile.hosting_mode],
          ['Requests per worker', profile.target_concurrency],
          ['Queue', `at most ${profile.max_queue_depth}`],
          ['Scaled by the service', profile.autoscale === true ? 'yes' : 'no'],
          ['Idle until it sleeps', duration(profile.scale_down_idle_seconds * 1e9)],
          ['May be chosen', profile.enabled === false ? 'no, it is disabled' : 'yes'],
          ['Message', activation?.message],
          ['Compatibility', profile.compatibility_key.slice(0, 12)],
        ]}
      />
    </Section>
  );
}
