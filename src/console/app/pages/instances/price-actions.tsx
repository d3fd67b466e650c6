import { Autocomplete, NumberInput, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { numberMissing, someNumber, type Entered } from '../../parts/entered';
import { deletePrices, PRICES, savePrice, type Price } from './instances-queries';

interface PriceFieldsProps {
  readonly onDemand: Entered;
  readonly spot: Entered;
  readonly setOnDemand: (value: Entered) => void;
  readonly setSpot: (value: Entered) => void;
  readonly empty: string;
}

const PriceFields = ({ onDemand, spot, setOnDemand, setSpot, empty }: PriceFieldsProps) => (
  <>
    <NumberInput
      label="On demand, per hour"
      description={`US dollars, of an instance that is not reclaimed. ${empty}`}
      prefix="$"
      min={0}
      hideControls
      value={onDemand}
      onChange={setOnDemand}
    />
    <NumberInput
      label="Spot, per hour"
      description={`US dollars, of an instance that may be reclaimed. ${empty}`}
      prefix="$"
      min={0}
      hideControls
      value={spot}
      onChange={setSpot}
    />
  </>
);

const CAPACITIES = ['on-demand', 'spot'] as const;

export function SavePrice({ seen }: { seen: readonly string[] }) {
  return (
    <ActionDialog operation="save_instance_type_price" verb="Save price" changes={PRICES} title="Save a price of nodes">
      <SaveForm seen={seen} />
    </ActionDialog>
  );
}

function SaveForm({ seen }: { seen: readonly string[] }) {
  const [type, setType] = useState('');
  const [capacity, setCapacity] = useState<(typeof CAPACITIES)[number]>('on-demand');
  const [onDemand, setOnDemand] = useState<Entered>('');
  const [spot, setSpot] = useState<Entered>('');
  const [onDemandUsd, spotUsd] = [someNumber(onDemand), someNumber(spot)];
  return (
    <Plan
      missing={
        type.trim() === ''
          ? 'Name the instance type.'
          : onDemandUsd === null && spotUsd === null
            ? 'Enter a price.'
            : numberMissing(onDemandUsd, spotUsd)
      }
      act={() =>
        savePrice({
          instance_type: type.trim(),
          capacity_type: capacity,
          ...(onDemandUsd !== null && { ondemand_price_per_hour: onDemandUsd }),
          ...(spotUsd !== null && { spot_price_per_hour: spotUsd }),
        })
      }
      outcome={(_, close) => <Done word="Saved" close={close} />}
    >
      <p>Savings on nodes of this type are computed with it from now on, those of the past too.</p>
      <Stack gap="sm">
        <Autocomplete
          label="Instance type"
          description="As the label of its nodes. Types of reported nodes are suggested."
          required
          data={[...seen]}
          limit={20}
          value={type}
          onChange={setType}
        />
        <SegmentedControl
          aria-label="Capacity"
          size="xs"
          value={capacity}
          onChange={(value) => setCapacity(value)}
          data={[...CAPACITIES]}
        />
        <PriceFields {...{ onDemand, spot, setOnDemand, setSpot }} empty="Empty: it stays as it is." />
      </Stack>
    </Plan>
  );
}

export function ChangePrice({ of }: { of: Price }) {
  return (
    <ActionDialog
      operation="save_instance_type_price"
      verb="Change"
      changes={PRICES}
      title={`Change the price of ${of.instance_type}, ${of.capacity_type}`}
    >
      <ChangeForm of={of} />
    </ActionDialog>
  );
}

function ChangeForm({ of: latest }: { of: Price }) {
  // As the user saw it: what others change meanwhile is not taken back.
  const [of] = useState(latest);
  const [onDemand, setOnDemand] = useState<Entered>(of.ondemand_price_per_hour ?? '');
  const [spot, setSpot] = useState<Entered>(of.spot_price_per_hour ?? '');
  const [onDemandUsd, spotUsd] = [someNumber(onDemand), someNumber(spot)];
  // Only what differs: somebody else may have changed the other price.
  const body = {
    instance_type: of.instance_type,
    capacity_type: of.capacity_type,
    ...(onDemandUsd !== of.ondemand_price_per_hour && { ondemand_price_per_hour: onDemandUsd }),
    ...(spotUsd !== of.spot_price_per_hour && { spot_price_per_hour: spotUsd }),
  };
  const isSame = onDemandUsd === of.ondemand_price_per_hour && spotUsd === of.spot_price_per_hour;
  return (
    <Plan
      missing={isSame ? 'Nothing is changed yet.' : numberMissing(onDemandUsd, spotUsd)}
      act={() => savePrice(body)}
      outcome={(_, close) => <Done word="Saved" close={close} />}
    >
      <p>Savings on nodes of this type are computed with it from now on, those of the past too.</p>
      <Stack gap="sm">
        <PriceFields {...{ onDemand, spot, setOnDemand, setSpot }} empty="Empty: not known." />
      </Stack>
    </Plan>
  );
}

export const DeletePrices = ({ of }: { of: Price }) => (
  <ActionDialog
    operation="delete_instance_type_price"
    verb="Delete"
    changes={PRICES}
    title={`Delete the prices of ${of.instance_type}`}
  >
    <Plan act={() => deletePrices(of.instance_type)} outcome={(_, close) => <Done word="Deleted" close={close} />}>
      <p>
        Every price of {of.instance_type} is deleted, on demand and spot. Savings on such nodes are not known any more,
        those of the past too.
      </p>
    </Plan>
  </ActionDialog>
);
