import { MultiSelect, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { clustersQuery } from '../../../api/clusters';
import { suggestedQuery } from '../policies-queries';
import { RESOURCE_NAMES, RESOURCES } from '../policy-words';
import { KINDS, MOST_KEPT, UNITS, type Faults, type Field, type FormValues, type Unit } from './form-values';
import styles from './form.module.css';

export interface PolicyFieldsProps {
  readonly values: FormValues;
  readonly change: (part: Partial<FormValues>) => void;
  /** The user has been in this field. */
  readonly touch: (field: Field) => void;
  readonly faults: Faults;
}

export const PolicyFields = (props: PolicyFieldsProps) => {
  const { values, change, touch, faults } = props;
  return (
    <Stack gap="sm" className={styles.fields}>
      <TextInput
        label="Name"
        description="Optional. It is what the calendar shows."
        maxLength={253}
        value={values.name}
        error={faults.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <fieldset className={styles.group}>
        <legend>When</legend>
        <SegmentedControl
          aria-label="When"
          size="xs"
          value={values.trigger}
          onChange={(trigger) => change({ trigger: trigger === 'maintenance' ? 'maintenance' : 'heartbeat' })}
          data={[
            { value: 'heartbeat', label: 'At an interval' },
            { value: 'maintenance', label: 'In a maintenance window' },
          ]}
        />
        {values.trigger === 'heartbeat' ? <IntervalFields {...props} /> : <WindowFields {...props} />}
      </fieldset>
      <fieldset className={styles.group}>
        <legend>What</legend>
        <TargetFields {...props} />
      </fieldset>
      <fieldset className={styles.group}>
        <legend>How</legend>
        <Select
          label="Kind of checkpoint"
          description="simple saves the processes, rootfs also their file system, rootfsonly the file system alone."
          data={[...KINDS]}
          allowDeselect={false}
          value={values.kind}
          error={faults.kind}
          onChange={(kind) => change({ kind: KINDS.find((one) => one === kind) ?? 'simple' })}
        />
        <TextInput
          type="number"
          label="Keep the last"
          description="Ready checkpoints of each workload. Empty: all. Older ones are deprecated, and their bytes removed."
          min={1}
          max={MOST_KEPT}
          value={values.keep}
          error={faults.keep}
          onBlur={() => touch('keep')}
          onChange={(event) => change({ keep: event.currentTarget.value })}
        />
        <TextInput
          label="Directory of runc"
          description="Optional. Empty: where runc keeps its state by default."
          value={values.runcRoot}
          error={faults.runcRoot}
          onChange={(event) => change({ runcRoot: event.currentTarget.value })}
        />
      </fieldset>
    </Stack>
  );
};

const IntervalFields = ({ values, change, touch, faults }: PolicyFieldsProps) => (
  <>
    <div className={styles.pair}>
      <TextInput
        type="number"
        label="Every"
        required
        min={0}
        step="any"
        value={values.interval}
        error={faults.interval}
        onBlur={() => touch('interval')}
        onChange={(event) => change({ interval: event.currentTarget.value })}
      />
      <Select
        label="Unit"
        data={Object.keys(UNITS)}
        allowDeselect={false}
        value={values.unit}
        onChange={(unit) => change({ unit: (unit ?? 'hours') as Unit })}
      />
    </div>
    <TextInput
      type="number"
      label="End after"
      description="Number of ready checkpoints. Empty: it never ends."
      min={1}
      value={values.most}
      error={faults.most}
      onBlur={() => touch('most')}
      onChange={(event) => change({ most: event.currentTarget.value })}
    />
  </>
);

/** The time in UTC, for those who must agree on it with others. */
const inUtc = (local: string): string => {
  const time = Date.parse(local);
  return Number.isNaN(time)
    ? 'By the clock of this machine'
    : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
};

const WindowFields = ({ values, change, touch, faults }: PolicyFieldsProps) => (
  <div className={styles.pair}>
    <TextInput
      type="datetime-local"
      label="Begins"
      required
      description={inUtc(values.start)}
      value={values.start}
      error={faults.start}
      onBlur={() => touch('start')}
      onChange={(event) => change({ start: event.currentTarget.value })}
    />
    <TextInput
      type="datetime-local"
      label="Ends"
      required
      description={inUtc(values.end)}
      value={values.end}
      error={faults.end}
      onBlur={() => touch('end')}
      onChange={(event) => change({ end: event.currentTarget.value })}
    />
  </div>
);

function TargetFields({ values, change, touch, faults }: PolicyFieldsProps) {
  const clusters = useQuery(clustersQuery).data ?? [];
  const kindOf = (id: string | null) => clusters.find((cluster) => cluster.id === id)?.kind;
  const namespaces = useId();
  const [podName, setPodName] = useState('');
  const [searched] = useDebouncedValue(podName, 250);
  const isKubernetes = kindOf(values.cluster) === 'kubernetes';
  const suggested = useQuery(suggestedQuery(isKubernetes ? (values.cluster ?? undefined) : undefined, searched)).data;
  const choose = (cluster: string | null) => {
    const kind = kindOf(cluster);
    // What the filter can be follows from the cluster.
    const resource =
      kind === 'slurm'
        ? 'slurm_jobs'
        : kind !== undefined && values.resource === 'slurm_jobs'
          ? 'namespace'
          : values.resource;
    setPodName('');
    change({ cluster, resource, pods: [] });
  };
  return (
    <>
      <Select
        label="Cluster"
        required
        searchable
        placeholder="Choose a cluster"
        data={clusters.map(({ id, name, status }) => ({
          value: id,
          label: status === 'inactive' ? `${name} (silent)` : name,
        }))}
        value={values.cluster}
        error={faults.cluster}
        onBlur={() => touch('cluster')}
        onChange={choose}
      />
      <SegmentedControl
        aria-label="Filter by"
        size="xs"
        value={values.resource}
        onChange={(chosen) => change({ resource: RESOURCES.find((one) => one === chosen) ?? 'namespace' })}
        data={RESOURCES.map((value) => ({ value, label: RESOURCE_NAMES[value] }))}
      />
      {(values.resource === 'namespace' || values.resource === 'jobs') && (
        <>
          <TextInput
            label="Namespace"
            required={values.resource === 'namespace'}
            description={
              values.resource === 'jobs' ? 'Optional. Empty: all namespaces of the cluster.' : 'All running pods in it'
            }
            list={namespaces}
            maxLength={253}
            value={values.namespace}
            error={faults.namespace}
            onBlur={() => touch('namespace')}
            onChange={(event) => change({ namespace: event.currentTarget.value })}
          />
          <datalist id={namespaces}>
            {suggested?.available_filters?.namespaces.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
      {values.resource === 'jobs' && (
        <TextInput
          type="number"
          label="Priority"
          description="Optional. Only jobs whose pods have this priority."
          value={values.priority}
          error={faults.priority}
          onBlur={() => touch('priority')}
          onChange={(event) => change({ priority: event.currentTarget.value })}
        />
      )}
      {values.resource === 'pods' && (
        <Pods
          key={values.cluster}
          values={values}
          change={change}
          touch={touch}
          faults={faults}
          pods={suggested?.pods ?? []}
          search={setPodName}
        />
      )}
      {values.resource === 'slurm_jobs' && (
        <TextInput
          label="Slurm jobs"
          required
          description="Their numbers, separated by spaces or commas. They may be submitted later."
          value={values.slurmJobs}
          error={faults.slurmJobs}
          onBlur={() => touch('slurmJobs')}
          onChange={(event) => change({ slurmJobs: event.currentTarget.value })}
        />
      )}
    </>
  );
}

interface PodsProps extends PolicyFieldsProps {
  readonly pods: readonly { readonly id: string; readonly name: string; readonly namespace: string }[];
  readonly search: (name: string) => void;
}

function Pods({ values, change, touch, faults, pods, search }: PodsProps) {
  // Those that were chosen keep their names when another part of the list is searched.
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const labels = new Map([...known, ...pods.map(({ id, name, namespace }) => [id, `${namespace}/${name}`] as const)]);
  const choose = (chosen: string[]) => {
    setKnown(new Map(chosen.map((id) => [id, labels.get(id) ?? id])));
    change({ pods: chosen });
  };
  return (
    <MultiSelect
      label="Pods"
      required
      searchable
      placeholder="Search by name"
      nothingFoundMessage={values.cluster === null ? 'Choose a cluster first' : 'No pod of this name'}
      data={[...labels].map(([value, label]) => ({ value, label }))}
      limit={50}
      value={[...values.pods]}
      error={faults.pods}
      onBlur={() => touch('pods')}
      onSearchChange={search}
      onChange={choose}
    />
  );
}
