import { Button, SegmentedControl, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState, type ReactNode } from 'react';
import { api, read } from '../api/client';
import type { Artifact } from '../api/serving';
import { ArtifactStatus, promotionOf } from '../parts/models/artifacts';
import { Status } from '../parts/status';
import { ActionDialog, Plan } from './action-dialog';
import styles from './action-dialog.module.css';
import { askDeletion, askPromotion, askStatus } from './serving-api';

/** From the hottest to the coldest. */
const TIERS = ['memory', 'local', 'shared', 'object'] as const;

export const ArtifactActions = ({ artifact }: { artifact: Artifact }) => (
  <>
    <Promote artifact={artifact} />
    <Mark artifact={artifact} />
    <Delete artifact={artifact} />
  </>
);

/** The tier that it is copied from: that of the original, once its copy is lost. */
const sourceOf = ({ storage_tier: tier, residency }: Artifact): string =>
  (residency?.copy_lost && residency.original_tier) || tier;

const deletedAtReboot = (tier: string): string =>
  tier === 'memory' || tier === 'local' ? ' A reboot of the node deletes what is on that tier.' : '';

const isGone = ({ status }: Artifact): boolean => status === 'deleted' || status === 'expired';

function Promote({ artifact }: { artifact: Artifact }) {
  const { artifact_id: id } = artifact;
  const hotter = TIERS.slice(0, Math.max(0, TIERS.indexOf(sourceOf(artifact) as (typeof TIERS)[number])));
  return (
    <ActionDialog
      operation="promote_artifact"
      verb="Promote"
      changes="artifacts"
      title={`Promote ${id}`}
      impossible={
        isGone(artifact) ? `It is ${artifact.status}.` : hotter.length === 0 ? 'It is on the hottest tier.' : undefined
      }
    >
      <PromoteForm artifact={artifact} hotter={hotter} />
    </ActionDialog>
  );
}

interface PromoteFormProps {
  readonly artifact: Artifact;
  /** Tiers above its own. */
  readonly hotter: readonly (typeof TIERS)[number][];
}

function PromoteForm({ artifact, hotter: latest }: PromoteFormProps) {
  const { artifact_id: id } = artifact;
  // A choice is not replaced by another one while the artifact is read again.
  const [hotter] = useState(latest);
  const [tier] = useState(sourceOf(artifact));
  const [chosen, setChosen] = useState<(typeof TIERS)[number]>();
  const to = hotter.find((one) => one === chosen) ?? hotter.at(-1);
  return (
    <Plan outcome={showArtifact} act={(once) => askPromotion(once, id, { tier: to ?? 'memory' })}>
      <p>
        The controller that holds it is asked to copy its bytes from the tier {tier} to the tier {to}. Until it confirms
        that, restores are judged on the present tier.
        {deletedAtReboot(to ?? '')}
      </p>
      <SegmentedControl
        aria-label="Tier"
        size="xs"
        value={to ?? ''}
        onChange={(value) => setChosen(TIERS.find((one) => one === value))}
        data={hotter.map((one) => ({ value: one, label: one }))}
      />
    </Plan>
  );
}

/** A button where the copy of an artifact is lost: it makes the copy again. */
export const CopyAgain = ({ artifact }: { artifact: Artifact }) => (
  <ActionDialog
    operation="promote_artifact"
    verb="Copy again"
    changes="artifacts"
    title={`Copy ${artifact.artifact_id} again`}
    instead={artifact.residency?.copy_lost !== true && <Fragment />}
  >
    <CopyForm artifact={artifact} />
  </ActionDialog>
);

function CopyForm({ artifact }: { artifact: Artifact }) {
  // As the user saw it: once it is requested, nothing is lost any more.
  const [{ id, from, to }] = useState({
    id: artifact.artifact_id,
    from: sourceOf(artifact),
    to: artifact.storage_tier as (typeof TIERS)[number],
  });
  return (
    <Plan outcome={showArtifact} act={(once) => askPromotion(once, id, { tier: to })}>
      <p>
        The controller that holds the original is asked to copy its bytes from the tier {from} to the tier {to} once
        more. Until it confirms that, workers are restored from the original.
        {deletedAtReboot(to)}
      </p>
    </Plan>
  );
}

/** What operators may say of an artifact, and what follows from it. */
const MARKS = {
  golden: 'Retention keeps a golden artifact for ever, and it is only deleted with force.',
  quarantined: 'No worker is restored from a quarantined artifact, nor from one that was made from it.',
  ready: 'Workers are restored from it, and retention may expire it.',
} as const;
type MarkName = keyof typeof MARKS;

function Mark({ artifact }: { artifact: Artifact }) {
  const { artifact_id: id, status } = artifact;
  return (
    <ActionDialog
      operation="update_artifact"
      verb="Mark"
      changes="artifacts"
      title={`Mark ${id}`}
      impossible={isGone(artifact) ? `It is ${status}.` : undefined}
    >
      <MarkForm artifact={artifact} />
    </ActionDialog>
  );
}

function MarkForm({ artifact }: { artifact: Artifact }) {
  const [{ artifact_id: id, status }] = useState(artifact);
  const others = (Object.keys(MARKS) as MarkName[]).filter((mark) => mark !== status);
  const [chosen, setChosen] = useState<MarkName>();
  const to = others.find((mark) => mark === chosen) ?? others[0] ?? 'golden';
  return (
    <Plan outcome={showArtifact} act={() => askStatus(id, { status: to })}>
      <SegmentedControl
        aria-label="Mark it as"
        size="xs"
        mb="sm"
        value={to}
        onChange={(value) => setChosen(value)}
        data={others}
      />
      <p>{MARKS[to]}</p>
    </Plan>
  );
}

function Delete({ artifact }: { artifact: Artifact }) {
  const { artifact_id: id, status } = artifact;
  return (
    <ActionDialog
      operation="delete_artifact"
      verb="Delete"
      changes="artifacts"
      title={`Delete ${id}`}
      impossible={status === 'deleted' ? 'It is deleted already.' : undefined}
    >
      <DeleteForm id={id} />
    </ActionDialog>
  );
}

function DeleteForm({ id }: { id: string }) {
  const [force, setForce] = useState(false);
  return (
    <Plan outcome={showArtifact} act={() => askDeletion(id, force)}>
      <p>
        It is marked as deleted, and an event asks the controller that holds its bytes to remove them. Nobody can take
        that back, and nothing can be restored from it.
      </p>
      <Switch
        label="With force"
        description={
          force
            ? 'Also if it is golden, or a parent: what was made from it can then never be restored.'
            : 'It is refused if it is golden, or a parent of others.'
        }
        checked={force}
        onChange={(event) => setForce(event.currentTarget.checked)}
      />
    </Plan>
  );
}

const OUTCOME_MS = 1_000;

const showArtifact = (artifact: Artifact, close: () => void): ReactNode => (
  <ArtifactOutcome asked={artifact} close={close} />
);

function ArtifactOutcome({ asked, close }: { asked: Artifact; close: () => void }) {
  const isPending = (artifact: Artifact) => promotionOf(artifact)?.state === 'pending';
  const { data = asked } = useQuery({
    queryKey: ['artifacts', 'one', asked.artifact_id],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/inference/artifacts/{artifact_id}', {
          params: { path: { artifact_id: asked.artifact_id } },
          signal,
        }),
      ),
    enabled: isPending(asked),
    refetchInterval: ({ state }) => (state.data && !isPending(state.data) ? false : OUTCOME_MS),
  });
  const promotion = isPending(asked) ? promotionOf(data) : undefined;
  return (
    <div className={styles.outcome} aria-live="polite">
      <p>
        It is now <ArtifactStatus status={data.status} />
      </p>
      {promotion && (
        <p>
          {promotion.state === 'pending' ? (
            <Status tone="busy">On its way to {data.storage_tier}</Status>
          ) : promotion.state === 'confirmed' ? (
            <Status tone="good">On {data.storage_tier}</Status>
          ) : (
            <Status tone="bad">The promotion failed</Status>
          )}
        </p>
      )}
      {promotion?.state === 'pending' && (
        <p className={styles.quiet}>You may close this. It goes on, and this page shows it.</p>
      )}
      <Button variant="default" onClick={close}>
        Close
      </Button>
    </div>
  );
}
