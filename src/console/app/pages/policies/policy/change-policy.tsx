import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../../actions/action-dialog';
import { Done } from '../../../actions/done';
import { Problem } from '../../../parts/states';
import { plural } from '../../../parts/units';
import { isKept, KEPT_FAULT, MOST_KEPT, someNumber } from '../form/form-values';
import { changePolicy, previewQuery } from '../policies-queries';
import type { Policy } from '../policy-words';

interface ChangeProps {
  readonly policy: Policy;
  readonly name: string;
}

/** A button that lets no beat act, or, of a policy that is paused, one that lets it go on. */
export const PausePolicy = ({ policy, name }: ChangeProps) => {
  const verb = policy.paused ? 'Resume' : 'Pause';
  return (
    <ActionDialog
      operation="update_pipeline_policy"
      verb={verb}
      changes="policies"
      title={`${verb} ${name}`}
      impossible={policy.status === 'disabled' ? 'It is disabled.' : undefined}
    >
      <PauseForm policy={policy} />
    </ActionDialog>
  );
};

/** It is about what the user has seen, also once the policy has changed. */
function PauseForm({ policy }: Pick<ChangeProps, 'policy'>) {
  const [paused] = useState(!policy.paused);
  return (
    <Plan
      act={(once) => changePolicy(once, policy.id, { paused, expected: { paused: !paused } })}
      outcome={(_, close) => <Done word={paused ? 'Paused' : 'It goes on'} close={close} />}
    >
      <p>
        {paused
          ? 'No beat acts until somebody lets it go on. What it has requested before goes on.'
          : 'It goes on at its next beat. Those that it missed are not made up for. A maintenance window acts while it is open.'}
      </p>
    </Plan>
  );
}

/** How many checkpoints a policy keeps, with how many would go. */
export const KeepLast = (props: ChangeProps) => (
  <ActionDialog
    operation="update_pipeline_policy"
    verb="Keep"
    changes="policies"
    title={`Checkpoints that ${props.name} keeps`}
  >
    <KeepForm {...props} />
  </ActionDialog>
);

function KeepForm({ policy }: ChangeProps) {
  // As the user saw it: what others change meanwhile is not taken back.
  const [seen] = useState(policy.keep_last);
  const [text, setText] = useState(seen === null ? '' : String(seen));
  const keep_last = someNumber(text);
  const isRight = isKept(text);
  const isAsked = isRight && keep_last !== null;
  const preview = useQuery(
    previewQuery(
      isAsked && policy.pipeline ? { pipeline: policy.pipeline, policy_id: policy.id, keep_last } : undefined,
    ),
  );
  const isKnown = preview.isSuccess && !preview.isError;
  const going = isAsked && isKnown ? preview.data.going_count : undefined;
  return (
    <Plan
      missing={
        !isRight
          ? KEPT_FAULT
          : isAsked && going == null
            ? 'It is not known yet how many checkpoints would go.'
            : undefined
      }
      act={(once) => changePolicy(once, policy.id, { keep_last, expected: { keep_last: seen } })}
      outcome={({ keep_last: kept }, close) => (
        <Done word={kept === null ? 'It keeps all' : `It keeps the last ${kept} of each workload`} close={close} />
      )}
    >
      <TextInput
        type="number"
        label="Keep the last"
        description="Ready checkpoints of each workload, also of those that have ended. Empty: all."
        min={1}
        max={MOST_KEPT}
        value={text}
        error={isRight ? undefined : KEPT_FAULT}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <p>
        Older ones are deprecated, which nobody can undo: their agents remove the bytes. What a restore or an artifact
        needs stays, and everything in an organisation that has a delta. The newest ones count, also after a workload
        began from scratch in its pod or its job.
      </p>
      {isAsked && preview.isError && <Problem error={preview.error} retry={() => void preview.refetch()} />}
      <div role="status">
        {going != null && (
          <p>
            <strong>
              {going === 0 ? 'No checkpoint would go now.' : `At most ${plural(going, 'checkpoint')} would go.`}
            </strong>
          </p>
        )}
      </div>
    </Plan>
  );
}
