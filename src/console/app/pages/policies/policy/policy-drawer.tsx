import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../../actions/action-dialog';
import { Done } from '../../../actions/done';
import { problemFrom } from '../../../api/problem';
import { SideDrawer } from '../../../parts/layers/side-drawer';
import { Loaded, NothingYet } from '../../../parts/states';
import { Status } from '../../../parts/status';
import { deletePolicy, policyQuery } from '../policies-queries';
import type { PoliciesSearch } from '../policies-search';
import { nameOf, type Policy } from '../policy-words';
import { Activity } from './activity';
import { KeepLast, PausePolicy } from './change-policy';
import { Matches } from './matches';
import { PolicyFacts, PolicyStatus } from './policy-facts';
import styles from '../policies.module.css';

interface PolicyDrawerProps {
  readonly id: string | undefined;
  /** The policy if the list beside has it; undefined while the list is loading too. */
  readonly listed: Policy | undefined;
  readonly isListLoading: boolean;
  readonly part: PoliciesSearch['part'];
  readonly change: (part: Partial<PoliciesSearch>) => void;
}

/** One policy: what it did, and what it matches. */
export function PolicyDrawer({ id, listed, isListLoading, part, change }: PolicyDrawerProps) {
  // It is gone from the list, and the service does not know it any more.
  const [deleted, setDeleted] = useState<Policy>();
  const gone = deleted?.id === id ? deleted : undefined;
  const isAsked = id !== undefined && listed === undefined && !isListLoading && gone === undefined;
  const asked = useQuery({ ...policyQuery(id ?? ''), enabled: isAsked });
  const policy = gone ?? listed ?? asked.data;
  const close = () => change({ open: undefined, part: undefined });
  const name = policy && nameOf({ name: policy.name, trigger: policy.pipeline?.trigger.type ?? 'policy' });
  return (
    <SideDrawer title={name ?? 'Policy'} isOpen={id !== undefined} close={close}>
      {policy ? (
        <>
          <div className={styles.drawerHead}>
            {gone ? <Status tone="quiet">deleted</Status> : <PolicyStatus of={policy} />}
            {gone === undefined && (
              <>
                <PausePolicy policy={policy} name={name ?? ''} />
                <KeepLast policy={policy} name={name ?? ''} />
              </>
            )}
            <DeletePolicy
              policy={policy}
              name={name ?? ''}
              isGone={gone !== undefined}
              note={setDeleted}
              close={close}
            />
          </div>
          <PolicyFacts of={policy} />
          {gone === undefined && <Parts policy={policy} part={part} change={change} />}
        </>
      ) : problemFrom(asked.error).isMissing ? (
        <NothingYet title="This policy does not exist any more">
          It was deleted, or its cluster was. What it requested is still listed under Operations.
        </NothingYet>
      ) : (
        <Loaded query={asked}>{() => null}</Loaded>
      )}
    </SideDrawer>
  );
}

interface PartsProps extends Pick<PolicyDrawerProps, 'part' | 'change'> {
  readonly policy: Policy;
}

const Parts = ({ policy, part, change }: PartsProps) => (
  <Tabs
    value={part ?? 'activity'}
    onChange={(chosen) => change({ part: chosen === 'matches' ? 'matches' : undefined })}
    keepMounted={false}
  >
    <Tabs.List>
      <Tabs.Tab value="activity">Activity</Tabs.Tab>
      <Tabs.Tab value="matches">Matches now</Tabs.Tab>
    </Tabs.List>
    <Tabs.Panel value="activity">
      <Activity policy={policy} />
    </Tabs.Panel>
    <Tabs.Panel value="matches">
      <Matches policy={policy} />
    </Tabs.Panel>
  </Tabs>
);

interface DeletePolicyProps {
  readonly policy: Policy;
  readonly name: string;
  readonly isGone: boolean;
  readonly note: (deleted: Policy) => void;
  /** Closes the drawer. */
  readonly close: () => void;
}

const DeletePolicy = ({ policy, name, isGone, note, close }: DeletePolicyProps) => (
  <ActionDialog
    operation="delete_policy"
    verb="Delete"
    changes="policies"
    title={`Delete ${name}`}
    impossible={isGone ? 'It is deleted already.' : undefined}
  >
    <Plan
      act={async () => {
        const id = await deletePolicy(policy.id);
        note(policy);
        return id;
      }}
      outcome={(_, closeDialog) => (
        <Done
          word="Deleted"
          close={() => {
            closeDialog();
            close();
          }}
        >
          <p>It requests nothing any more.</p>
        </Done>
      )}
    >
      <p>
        It requests no more checkpoints, and nobody can undo that. What it requested before goes on, and the checkpoints
        stay.
      </p>
    </Plan>
  </ActionDialog>
);
