import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArtifactActions, CopyAgain } from '../../actions/artifact-actions';
import type { Artifact } from '../../api/serving';
import { ArtifactStatus, promotionOf, Residency } from '../../parts/models/artifacts';
import { Facts, Page, Section } from '../../parts/page';
import { Loaded } from '../../parts/states';
import { Moment } from '../../parts/time/moment';
import { Sentence } from '../../parts/time/sentence';
import { bytes } from '../../parts/units';
import { ancestryQuery } from './artifact-queries';
import type { ArtifactSearch } from './artifact-search';
import { Chain } from './chain';
import { WhyNot } from './why-not';
import { shown } from './shown';

const route = getRouteApi('/artifacts/$id');

export function ArtifactPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<ArtifactSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const ancestry = useQuery(ancestryQuery(id));
  // The chain ends with the artifact itself.
  const artifact = ancestry.data?.at(-1);
  return (
    <Page
      title={id}
      beside={
        artifact && (
          <>
            <Residency of={artifact} />
            <ArtifactStatus status={artifact.status} />
          </>
        )
      }
      actions={artifact && <ArtifactActions artifact={artifact} />}
    >
      <Loaded query={ancestry}>
        {(chain) =>
          artifact && (
            <>
              <CanItBe artifact={artifact} />
              <Chain
                id={id}
                ancestry={chain}
                hasRetention={search.retention === 'shown'}
                showRetention={(isShown) => change({ retention: isShown ? 'shown' : undefined })}
              />
              <WhyNot artifact={artifact} node={search.node} choose={(node) => change({ node })} />
              <About artifact={artifact} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** An older replica does not know of originals. */
const lostAtReboot = ({ boot_tied: isTied, original_tier: original }: NonNullable<Artifact['residency']>): string =>
  !isTied ? 'no' : original ? `only the copy, its original stays on the tier ${original}` : 'yes';

/** The verdict, and the evidence: the first check that fails, and both boots of its node. */
function CanItBe({ artifact }: { artifact: Artifact }) {
  const { residency, storage_tier: tier } = artifact;
  if (residency === null) return null;
  return (
    <Section
      title="Can it be restored?"
      summary={<Sentence text={residency.reason} />}
      aside={<CopyAgain artifact={artifact} />}
    >
      <Facts
        of={[
          [
            'First failing check',
            residency.state === 'restorable' ? 'none, all succeeded' : <b key="check">{residency.state}</b>,
          ],
          ['Copy', residency.copy_lost && `lost, it was on the tier ${tier}`],
          ['Node', residency.node_name],
          ['State of the node', residency.node_status],
          ['Node last reported', residency.node_last_sync && <Moment key="sync" at={residency.node_last_sync} />],
          ['Taken in the boot', residency.artifact_boot_id],
          ['Present boot', residency.node_boot_id],
          ['A reboot deletes it', lostAtReboot(residency)],
          [
            'Engine flags agree',
            residency.flags_verified === null ? 'not known' : residency.flags_verified ? 'yes' : 'no',
          ],
        ]}
      />
    </Section>
  );
}

function About({ artifact }: { artifact: Artifact }) {
  const { profile_id: profile, physical_bytes: size, logical_bytes: logical, observed_restores: done } = artifact;
  const promotion = promotionOf(artifact);
  const { expiry } = (artifact.metadata ?? {}) as { expiry?: unknown };
  return (
    <Section title="Artifact" summary={artifact.uri}>
      <Facts
        of={[
          [
            'Profile',
            <Link key="profile" to="/profiles/$id" params={{ id: profile }}>
              {profile}
            </Link>,
          ],
          ['Model', artifact.exact_model],
          ['Mode', artifact.checkpoint_mode],
          ['Tier', artifact.storage_tier],
          ['Promotion', promotion && `from ${promotion.from}: ${promotion.state}`],
          ['Expiry', expiry === undefined ? undefined : shown(expiry)],
          ['Bytes', size !== null && bytes(size)],
          ['Before compression', logical !== null && logical !== size && bytes(logical)],
          ['Reused from the parent', artifact.reused_bytes !== null && bytes(artifact.reused_bytes)],
          ['Restores that became ready', `${done ?? 0} of ${artifact.observed_restore_attempts ?? 0}`],
          ['Last restored', artifact.last_restored_at && <Moment key="restored" at={artifact.last_restored_at} />],
          ['Taken', <Moment key="taken" at={artifact.created_at} />],
          ['Bytes removed', artifact.bytes_removed_at && <Moment key="removed" at={artifact.bytes_removed_at} />],
          ['Registered by', artifact.source],
          ['Checksum', artifact.checksum],
          ['Compatibility', artifact.compatibility_key.slice(0, 12)],
        ]}
      />
    </Section>
  );
}
