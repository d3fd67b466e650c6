import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { ActionDialog, Plan } from '../../../actions/action-dialog';
import type { Once } from '../../../actions/once';
import { problemFrom, type ProblemError } from '../../../api/problem';
import { Loaded, Loading } from '../../../parts/states';
import { Status } from '../../../parts/status';
import { now } from '../../../parts/time/clock';
import { createPolicy, policyQuery, previewQuery } from '../policies-queries';
import { nameOf } from '../policy-words';
import { PolicyFacts } from '../policy/policy-facts';
import { bodyOf, EMPTY, faultsOf, refusedBy, type Faults, type Field, type FormValues } from './form-values';
import type { PolicyFieldsProps } from './policy-fields';
import { PreviewOf } from './preview-of';
import styles from './form.module.css';

/** Its fields are a chunk of their own: most visits of the page create nothing. */
const PolicyFields = lazy(() => import('./policy-fields').then((module) => ({ default: module.PolicyFields })));

/** The preview follows when the user pauses. */
const PAUSE_MS = 400;

interface Refusal {
  readonly problem: ProblemError;
  /** What was refused. Once it is changed, nobody knows. */
  readonly values: FormValues;
}

/** A form that shows what a policy would do before it is created. */
export function CreatePolicy({ open }: { open: (policy: string) => void }) {
  return (
    <ActionDialog
      operation="create_pipeline_policy"
      verb="Create policy"
      changes="policies"
      title="Create a policy"
      size="62rem"
    >
      <PolicyForm open={open} />
    </ActionDialog>
  );
}

function PolicyForm({ open }: { open: (policy: string) => void }) {
  const [values, setValues] = useState(EMPTY);
  const [touched, setTouched] = useState<ReadonlySet<Field>>(new Set());
  const [refusal, setRefusal] = useState<Refusal>();
  const faults = faultsOf(values, now());
  const isComplete = Object.keys(faults).length === 0;
  const create = (once: Once): Promise<string> =>
    createPolicy(once, bodyOf(values)).catch((error: unknown) => {
      setRefusal({ problem: problemFrom(error), values });
      throw error;
    });
  return (
    <Plan
      missing={isComplete ? undefined : missingOf(faults)}
      act={create}
      outcome={(id, close) => <Created id={id} open={open} close={close} />}
    >
      <p>
        The policy requests a checkpoint of everything that runs and matches its filter, at an interval or in a
        maintenance window, until it is deleted or has reached its limit.{' '}
        {values.trigger === 'heartbeat' && 'The workloads stand still for a moment while they are saved.'}
      </p>
      {values.trigger === 'maintenance' && (
        <p>
          The window empties nodes: agents of Kubernetes and Slurm let no new workload onto the node of a match until
          the window ends, stop the match with its checkpoint, and let it go on from there on another node. What they
          cannot move gets its checkpoint and stays.
        </p>
      )}
      <Sides
        values={values}
        change={(part) => setValues((before) => ({ ...before, ...part }))}
        touch={(field) => setTouched((before) => new Set(before).add(field))}
        faults={faults}
        touched={touched}
        refusal={refusal}
      />
    </Plan>
  );
}

interface SidesProps extends PolicyFieldsProps {
  readonly touched: ReadonlySet<Field>;
  readonly refusal: Refusal | undefined;
}

/** The fields, and what the policy would do. It exists, and asks, only while the dialog is open. */
function Sides({ values, change, touch, faults, touched, refusal }: SidesProps) {
  const [settled] = useDebouncedValue(values, PAUSE_MS);
  const body = useMemo(
    () => (Object.keys(faultsOf(settled, now())).length === 0 ? bodyOf({ ...settled, name: '' }) : undefined),
    [settled],
  );
  const preview = useQuery(previewQuery(body));
  const refused =
    refusedOf(refusal, values) ?? (preview.isError ? refusedBy(problemFrom(preview.error), settled) : undefined);
  return (
    <div className={styles.sides}>
      <Suspense fallback={<Loading lines={8} />}>
        <PolicyFields
          values={values}
          change={change}
          touch={touch}
          faults={shownFaults(faults, touched, refused?.faults)}
        />
      </Suspense>
      <PreviewOf
        preview={preview}
        resource={settled.resource}
        isAsked={body !== undefined}
        isCurrent={settled === values}
        isShownAtField={refused !== undefined && !refused.isElsewhere}
      />
    </div>
  );
}

const refusedOf = (refusal: Refusal | undefined, values: FormValues) =>
  refusal?.values === values ? refusedBy(refusal.problem, values) : undefined;

/** A field says what is missing only once the user has been there. What the service says comes first. */
function shownFaults(faults: Faults, touched: ReadonlySet<Field>, refused: Faults = {}): Faults {
  const own = Object.entries(faults).filter(([field]) => touched.has(field as Field));
  return { ...Object.fromEntries(own), ...refused };
}

const missingOf = (faults: Faults): string => Object.values(faults).join(' ');

/** The policy as the service has it. */
function Created({ id, open, close }: { id: string; open: (policy: string) => void; close: () => void }) {
  const policy = useQuery(policyQuery(id));
  return (
    <div className={styles.created}>
      <div role="status">
        <Status tone="good">Created</Status>
      </div>
      <Loaded query={policy} lines={3}>
        {(data) => (
          <>
            <strong>{nameOf({ name: data.name, trigger: data.pipeline?.trigger.type ?? 'policy' })}</strong>
            <PolicyFacts of={data} />
          </>
        )}
      </Loaded>
      <div className={styles.buttons}>
        <Button
          variant="default"
          onClick={() => {
            close();
            open(id);
          }}
        >
          Show the policy
        </Button>
        <Button onClick={close}>Close</Button>
      </div>
    </div>
  );
}
