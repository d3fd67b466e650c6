import { Switch } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState, type KeyboardEvent } from 'react';
import type { Rows, Schemas } from '../../api/client';
import type { Artifact } from '../../api/serving';
import { ArtifactStatus, Residency } from '../../parts/models/artifacts';
import { ArrowIcon } from '../../parts/icons';
import { Section } from '../../parts/page';
import { Problem } from '../../parts/states';
import { Status } from '../../parts/status';
import { Moment } from '../../parts/time/moment';
import { bytes, plural, share } from '../../parts/units';
import { retentionQuery, siblingsQuery } from './artifact-queries';
import { chainTree, moveOf, visibleRows, type ChainRow } from './chain-tree';
import styles from './artifact.module.css';

type Decision = Schemas['RetentionDecisionView'];

interface ChainProps {
  readonly id: string;
  readonly ancestry: readonly Artifact[];
  readonly hasRetention: boolean;
  readonly showRetention: (shown: boolean) => void;
}

/** Everything that was made from the same first checkpoint, and where its bytes are. */
export function Chain({ id, ancestry, hasRetention, showRetention }: ChainProps) {
  const profileId = ancestry.at(-1)?.profile_id;
  const siblings = useQuery(siblingsQuery(profileId));
  const retention = useQuery(retentionQuery(profileId, hasRetention));
  const { rows, missing } = chainTree(ancestry, siblings.data?.rows ?? []);
  const judgementOf = hasRetention ? judgementsOf(retention, profileId) : undefined;
  const broken = ancestry.find(({ residency }) => residency !== null && residency.state !== 'restorable');
  return (
    <Section
      title="Chain"
      summary={
        `A restore reads ${plural(ancestry.length, 'artifact')}, ` +
        (broken ? `and fails at ${broken.artifact_id}: ${broken.residency?.state}.` : 'and all can be restored.')
      }
      aside={
        <Switch
          size="xs"
          label="What retention would do"
          checked={hasRetention}
          onChange={(event) => showRetention(event.currentTarget.checked)}
        />
      }
    >
      {[siblings, retention].map(
        (query, place) =>
          query.isError && <Problem key={place} error={query.error} retry={() => void query.refetch()} />,
      )}
      {missing !== undefined && (
        <p className={styles.missing}>
          <Status tone="bad">parent_missing</Status> The chain begins with {missing}, which is not registered any more.
        </p>
      )}
      <TreeGrid rows={rows} current={id} judgementOf={judgementOf} />
      {siblings.data?.next && (
        <p className={styles.note}>The newest 1,000 artifacts of the profile are drawn; it has more.</p>
      )}
    </Section>
  );
}

/** What retention would do with an artifact, or why that is not known. */
type JudgementOf = (artifact: Artifact) => Decision | string;

/** @param profileId the decisions are on its artifacts only; a parent may be of another profile */
function judgementsOf({ data, isError }: UseQueryResult<Rows<Decision[]>>, profileId: string | undefined): JudgementOf {
  const decisions = new Map(data?.rows.map((decision) => [decision.artifact_id, decision]));
  return ({ artifact_id: id, profile_id: profile }) => {
    if (data === undefined) return isError ? 'not known' : '…';
    if (profile !== profileId) return `not asked, it is of ${profile}`;
    return decisions.get(id) ?? (data.next === undefined ? 'not judged' : 'not known');
  };
}

interface TreeGridProps {
  readonly rows: readonly ChainRow[];
  readonly current: string;
  /** Undefined: not asked. */
  readonly judgementOf: JudgementOf | undefined;
}

function TreeGrid({ rows, current, judgementOf }: TreeGridProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState(current);
  const grid = useRef<HTMLDivElement>(null);
  const visible = visibleRows(rows, closed);
  // Exactly one row is in the order of Tab, also after the focused one was hidden.
  const tabbed = visible.some(({ artifact }) => artifact.artifact_id === focused)
    ? focused
    : visible[0]?.artifact.artifact_id;
  const toggle = (id: string, close: boolean) =>
    setClosed((before) => {
      const after = new Set(before);
      if (close) after.add(id);
      else after.delete(id);
      return after;
    });
  const onKeyDown = (event: KeyboardEvent, id: string) => {
    const move = moveOf(event.key, id, rows, closed);
    if (event.key === 'Enter' && event.target === event.currentTarget)
      event.currentTarget.querySelector<HTMLElement>('a')?.click();
    if (move === undefined) return;
    event.preventDefault();
    if ('open' in move) toggle(move.open, false);
    else if ('close' in move) toggle(move.close, true);
    else {
      setFocused(move.to);
      grid.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(move.to)}"]`)?.focus();
    }
  };
  return (
    <div
      ref={grid}
      role="treegrid"
      aria-label="Chain of artifacts"
      className={styles.tree}
      data-retention={judgementOf !== undefined || undefined}
    >
      <div role="rowgroup" className={styles.head}>
        <div role="row" className={styles.line}>
          {['Artifact', 'Can be restored?', 'Status', 'Tier', 'New bytes', 'Taken'].map((header) => (
            <div key={header} role="columnheader">
              {header}
            </div>
          ))}
          {judgementOf && <div role="columnheader">Retention</div>}
        </div>
      </div>
      <div role="rowgroup">
        {visible.map((row) => {
          const { artifact_id: id } = row.artifact;
          return (
            <div
              key={id}
              role="row"
              data-id={id}
              aria-level={row.level}
              aria-posinset={row.place}
              aria-setsize={row.of}
              aria-expanded={row.children.length > 0 ? !closed.has(id) : undefined}
              aria-current={id === current ? 'true' : undefined}
              tabIndex={id === tabbed ? 0 : -1}
              className={styles.line}
              onKeyDown={(event) => onKeyDown(event, id)}
              onFocus={() => setFocused(id)}
            >
              <Cells
                row={row}
                isClosed={closed.has(id)}
                toggle={() => toggle(id, !closed.has(id))}
                judgement={judgementOf?.(row.artifact)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface CellsProps {
  readonly row: ChainRow;
  readonly isClosed: boolean;
  readonly toggle: () => void;
  /** Undefined: not asked. */
  readonly judgement: Decision | string | undefined;
}

function Cells({ row: { artifact, level, children, isInChain }, isClosed, toggle, judgement }: CellsProps) {
  const { artifact_id: id, written_bytes: written, logical_bytes: logical, storage_tier: tier } = artifact;
  return (
    <>
      <div role="gridcell" className={styles.name} style={{ '--level': level - 1 }}>
        {children.length > 0 ? (
          // The keyboard opens and closes with the arrows, so Tab does not stop here.
          <button
            type="button"
            tabIndex={-1}
            className={styles.toggle}
            data-open={!isClosed || undefined}
            aria-label={`${isClosed ? 'Open' : 'Close'} what was made from ${id}`}
            onClick={toggle}
          >
            <ArrowIcon />
          </button>
        ) : (
          <span className={styles.leaf} />
        )}
        <Link to="/artifacts/$id" params={{ id }} search={(before) => before} tabIndex={-1}>
          {id}
        </Link>
        {!isInChain && <span className={styles.quiet}>not read</span>}
      </div>
      <div role="gridcell" data-label="Can be restored?">
        <div>
          <Residency of={artifact} />
        </div>
      </div>
      <div role="gridcell" data-label="Status">
        <div>
          <ArtifactStatus status={artifact.status} />
        </div>
      </div>
      <div role="gridcell" data-label="Tier">
        <div>{tier}</div>
      </div>
      <div role="gridcell" data-label="New bytes">
        <div>
          {written === null ? (
            '–'
          ) : (
            <>
              {bytes(written)}
              {logical !== null && logical > 0 && <span className={styles.quiet}> {share(written, logical)}</span>}
            </>
          )}
        </div>
      </div>
      <div role="gridcell" data-label="Taken">
        <div>
          <Moment at={artifact.created_at} />
        </div>
      </div>
      {judgement !== undefined && (
        <div role="gridcell" data-label="Retention">
          <div>
            {typeof judgement === 'string' ? (
              <span className={styles.quiet}>{judgement}</span>
            ) : (
              <>
                <Status tone={judgement.decision === 'keep' ? 'good' : 'warn'}>
                  {judgement.decision === 'keep' ? 'kept' : 'expires'}
                </Status>{' '}
                <span className={styles.quiet}>{judgement.reason}</span>
              </>
            )}
          </div>
        </div>
      )}
    </>
  );
}
