import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { nodesQuery } from '../../api/nodes';
import type { Artifact } from '../../api/serving';
import type { Schemas } from '../../api/client';
import { Section } from '../../parts/page';
import { Loaded, Problem } from '../../parts/states';
import { Status, type Tone } from '../../parts/status';
import type { Column } from '../../parts/table/data-table';
import { Filters, Pick } from '../../parts/table/filters';
import { SmallTable } from '../../parts/table/small-table';
import { Sentence } from '../../parts/time/sentence';
import { plural } from '../../parts/units';
import { lookupQuery } from './artifact-queries';
import { shown } from './shown';
import styles from './artifact.module.css';

type Mismatch = Schemas['ArtifactMismatchView'];

interface WhyNotProps {
  readonly artifact: Artifact;
  readonly node: string | undefined;
  readonly choose: (node: string | undefined) => void;
}

/** Whether a node could take the artifact, and if not, what differs: what it has beside what is wanted. */
export function WhyNot({ artifact: { artifact_id: id, profile_id: profileId, residency }, node, choose }: WhyNotProps) {
  const nodes = useQuery(nodesQuery);
  const lookup = useQuery(lookupQuery(profileId, node));
  const names = [...new Set(nodes.data?.rows.map(({ name }) => name))].sort();
  const where = node ?? 'any node';
  return (
    <Section
      title="Why not on that node"
      summary={
        lookup.data &&
        `${lookup.data.filter(({ restorable }) => restorable).length} of ${plural(lookup.data.length, 'artifact')} could be restored on ${where}`
      }
    >
      <Filters label="Where to restore it">
        <Pick
          label="Any node"
          data={node === undefined || names.includes(node) ? names : [node, ...names]}
          value={node}
          change={choose}
        />
      </Filters>
      {nodes.isError && <Problem error={nodes.error} retry={() => void nodes.refetch()} />}
      {node === undefined && residency && (
        <Elsewhere names={names} isPart={nodes.data?.next !== undefined} residency={residency} choose={choose} />
      )}
      <Loaded query={lookup} lines={2}>
        {(candidates) => {
          const candidate = candidates.find(({ artifact }) => artifact.artifact_id === id);
          const blocking = candidate?.mismatches.filter((one) => severityOf(one) === 'block').length ?? 0;
          return (
            <>
              {candidate?.restorable ? (
                <p className={styles.answer}>
                  <Status tone="good">Yes</Status> A worker of {profileId} can be restored from it on {where}.
                </p>
              ) : (
                <p className={styles.answer}>
                  <Status tone="bad">No</Status>{' '}
                  {candidate === undefined ? (
                    `The service does not offer it to workers of ${profileId}: it is deleted, or of another model.`
                  ) : residency !== null && residency.state !== 'restorable' ? (
                    <span>
                      {residency.state}: <Sentence text={residency.reason} />
                    </span>
                  ) : (
                    `It differs in ${plural(blocking, 'property', 'properties')} from what is wanted on ${where}.`
                  )}
                </p>
              )}
              {candidate && candidate.mismatches.length > 0 && (
                <SmallTable
                  label="Differences"
                  columns={DIFFERENCES}
                  rows={candidate.mismatches}
                  keyOf={({ property }) => property}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** More names than that are not read. */
const NAMED = 24;

interface ElsewhereProps {
  readonly names: readonly string[];
  /** There are more nodes. */
  readonly isPart: boolean;
  readonly residency: NonNullable<Artifact['residency']>;
  readonly choose: (node: string) => void;
}

/** The nodes that cannot take it whatever else is right, because it lies on another one. */
function Elsewhere({ names, isPart, residency, choose }: ElsewhereProps) {
  const { boot_tied: isTied, original_tier: original, node_name: holder } = residency;
  const one = names.length === 1 && !isPart ? names[0] : undefined;
  const all = `${isPart ? 'the first ' : ''}${plural(names.length, 'node')}`;
  const others = isTied && !original && holder !== null ? names.filter((name) => name !== holder) : [];
  if (others.length === 0)
    return names.length > 0 && <p className={styles.answer}>It lies where {one ?? `each of ${all}`} can read it.</p>;
  return (
    <div className={styles.answer}>
      {others.length} of {all} cannot take it, because it lies on {holder} only:
      <ul className={styles.elsewhere}>
        {others.slice(0, NAMED).map((name) => (
          <li key={name}>
            <Button size="compact-xs" variant="default" onClick={() => choose(name)}>
              {name}
            </Button>
          </li>
        ))}
        {others.length > NAMED && <li>and {others.length - NAMED} more</li>}
      </ul>
      Promote it to the tier shared or object, and each of them can.
    </div>
  );
}

const SEVERITIES = {
  block: ['bad', 'prevents it'],
  warn: ['warn', 'may work'],
  unknown: ['quiet', 'not known'],
} as const satisfies Readonly<Record<Mismatch['severity'], readonly [tone: Tone, words: string]>>;

/**
 * An older replica does not say how severe a difference is: it knows only those that prevent a restore. What
 * a newer one says in another word counts as that too, so that nobody relies on a restore that may not work.
 */
const severityOf = ({ severity }: Mismatch): keyof typeof SEVERITIES =>
  severity !== undefined && Object.hasOwn(SEVERITIES, severity) ? severity : 'block';

const DIFFERENCES: readonly Column<Mismatch>[] = [
  { id: 'property', header: 'Property', width: 'minmax(8rem, 1fr)', cell: ({ property }) => property },
  {
    id: 'severity',
    header: 'Severity',
    width: '7.5rem',
    cell: (difference) => {
      const [tone, words] = SEVERITIES[severityOf(difference)];
      return <Status tone={tone}>{words}</Status>;
    },
  },
  {
    id: 'artifact',
    header: 'The artifact has',
    width: 'minmax(8rem, 2fr)',
    cell: ({ artifact_value: value }) => <code>{shown(value)}</code>,
  },
  {
    id: 'wanted',
    header: 'Wanted there',
    width: 'minmax(8rem, 2fr)',
    cell: ({ wanted_value: value }) => <code>{shown(value)}</code>,
  },
];
