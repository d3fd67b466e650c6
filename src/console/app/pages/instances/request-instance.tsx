import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { sshCommand } from '../../parts/shell';
import { Command, Loaded } from '../../parts/states';
import { money } from '../../parts/units';
import { dollarsPerHour } from './instance-cost';
import { InstanceStatus } from './instance-status';
import {
  INSTANCES,
  isSettled,
  requestInstance,
  stateQuery,
  type Created,
  type InstanceState,
  type InstanceType,
} from './instances-queries';
import styles from './instances.module.css';

interface Region {
  readonly value: string;
  /** As the marketplace shows it. */
  readonly label: string;
}

/** Regions that have one. */
export const freeRegions = ({ availability }: InstanceType): readonly Region[] =>
  availability.flatMap(({ available, region, display_name: shown }) =>
    available === true && region !== undefined ? [{ value: region, label: shown ?? region }] : [],
  );

const HOURS_PER_DAY = 24;

/** A machine of one type. It costs money, which is said first. */
export function RequestInstance({ of, unusable }: { of: InstanceType; unusable: string | undefined }) {
  const regions = freeRegions(of);
  return (
    <ActionDialog
      operation="create_instance"
      verb="Request"
      changes={INSTANCES}
      title={`Request ${of.marketplace_instance_type} of ${of.cloud}`}
      impossible={unusable ?? (regions.length === 0 ? 'No region has one free.' : undefined)}
    >
      <RequestForm of={of} regions={regions} />
    </ActionDialog>
  );
}

function RequestForm({ of, regions }: { of: InstanceType; regions: readonly Region[] }) {
  const systems = of.configuration.os_options ?? [];
  const [name, setName] = useState('');
  // The one that the user sees is the one that is requested, also while the list is read again.
  const [region, setRegion] = useState(regions[0]);
  const [os, setOs] = useState<string>();
  const isFree = regions.some(({ value }) => value === region?.value);
  const shown = region === undefined || isFree ? regions : [...regions, { ...region, disabled: true }];
  const perHour = dollarsPerHour(of.hourly_price);
  return (
    <Plan
      missing={missingIn(name, region, isFree)}
      act={(once) =>
        requestInstance(once, {
          name: name.trim(),
          cloud: of.cloud,
          region: region?.value ?? '',
          marketplace_cloud: true,
          marketplace_instance_type: of.marketplace_instance_type,
          ...(os !== undefined && { os }),
        })
      }
      outcome={(created, close) => <Outcome created={created} close={close} />}
    >
      <p>
        <strong>
          It costs {money(perHour)} per hour, {money(perHour * HOURS_PER_DAY)} per day,
        </strong>{' '}
        from its creation until it is deleted, whether it is used or not. The marketplace is asked once.
      </p>
      <Stack gap="sm">
        <TextInput label="Name" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Select
          label="Region"
          data={[...shown]}
          value={region?.value ?? null}
          allowDeselect={false}
          onChange={(value) => setRegion(regions.find((one) => one.value === value))}
        />
        {systems.length > 0 && (
          <Select
            label="Operating system"
            placeholder="As the marketplace chooses"
            data={[...new Set(systems)]}
            value={os ?? null}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear operating system' }}
            onChange={(value) => setOs(value ?? undefined)}
          />
        )}
      </Stack>
    </Plan>
  );
}

function missingIn(name: string, region: Region | undefined, isFree: boolean): string | undefined {
  if (region === undefined) return 'Choose a region.';
  if (!isFree) return `${region.label} has none free any more. Choose another region.`;
  return name.trim() === '' ? 'Give it a name, so that people know what it is for.' : undefined;
}

/** What becomes of it, until it runs or has failed. */
function Outcome({ created, close }: { created: Created; close: () => void }) {
  const state = useQuery(stateQuery(created.instance_id));
  return (
    <div className={styles.outcome} aria-live="polite">
      <Loaded query={state} lines={2}>
        {(data) => <State of={data} />}
      </Loaded>
      <Button variant="default" onClick={close}>
        Close
      </Button>
    </div>
  );
}

const MEANINGS: Readonly<Record<string, string>> = {
  pending: 'It is not known yet whether the marketplace made it. Do not request it again: the status will change.',
  active: 'It runs.',
  error: 'There is no machine, and it costs nothing.',
  deleting: 'Somebody has asked for its deletion.',
  deleted: 'It is deleted.',
};

function State({ of: { status, metadata, ip_address: ip, ssh_user: user, ssh_port: port } }: { of: InstanceState }) {
  const { reason } = (metadata ?? {}) as { reason?: unknown };
  return (
    <>
      <span>
        <InstanceStatus status={status} />
      </span>
      <p>{typeof reason === 'string' ? reason : (MEANINGS[status] ?? 'The marketplace has it, and starts it.')}</p>
      {ip !== null && user !== null && <Command text={sshCommand({ user, address: ip, port })} />}
      {!isSettled(status) && <p className={styles.quiet}>You may close this. It goes on, and is in the list.</p>}
    </>
  );
}
