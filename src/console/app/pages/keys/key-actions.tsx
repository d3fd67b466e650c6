import { NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { Secret } from '../../actions/secret';
import { numberMissing, someNumber, type Entered } from '../../parts/entered';
import { Status } from '../../parts/status';
import { money } from '../../parts/units';
import { createKey, KEYS, revokeKey, type InferenceKey } from './keys-api';

export function CreateKey() {
  return (
    <ActionDialog operation="create_inference_key" verb="Create key" changes={KEYS} title="Create an inference key">
      <KeyForm />
    </ActionDialog>
  );
}

function KeyForm() {
  const [name, setName] = useState('');
  const [models, setModels] = useState<string[]>([]);
  const [budget, setBudget] = useState<Entered>('');
  const [rate, setRate] = useState<Entered>('');
  const [budgetUsd, ratePerSecond] = [someNumber(budget), someNumber(rate)];
  return (
    <Plan
      missing={
        name.trim() === ''
          ? 'Give the key a name, so that people know whose it is.'
          : numberMissing(budgetUsd, ratePerSecond)
      }
      act={(once) =>
        createKey(once, { name: name.trim(), models, budget_usd: budgetUsd, rate_limit_rps: ratePerSecond })
      }
      outcome={({ raw_key: key }, close) => (
        <Secret
          what="key"
          text={key}
          use="Clients send it as the bearer of requests to /v1/inference/chat/completions and its neighbours."
          close={close}
        />
      )}
    >
      <p>
        Whoever has the key may send requests to models until it is revoked. The budget and the rate hold over all
        replicas; a request that exceeds them is refused.
      </p>
      <Stack gap="sm">
        <TextInput label="Name" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TagsInput
          label="Models"
          description="Press Enter after each. Without any, the key may use all models."
          value={models}
          onChange={setModels}
        />
        <NumberInput
          label="Budget"
          description="In US dollars, in total. Empty: no limit."
          prefix="$"
          min={0}
          hideControls
          value={budget}
          onChange={setBudget}
        />
        <NumberInput
          label="Requests per second"
          description="Also the size of a burst. Empty: no limit."
          min={1}
          allowDecimal={false}
          hideControls
          value={rate}
          onChange={setRate}
        />
      </Stack>
    </Plan>
  );
}

export const RevokeKey = ({ of }: { of: InferenceKey }) => (
  <ActionDialog
    operation="revoke_inference_key"
    verb="Revoke"
    changes={KEYS}
    title={`Revoke the key ${of.name}`}
    instead={of.revoked_at !== null && <Status tone="quiet">Revoked</Status>}
  >
    <Plan
      act={() => revokeKey(of.key_id)}
      outcome={(_, close) => (
        <Done word="Revoked" close={close}>
          <p>Every replica refuses the key from now on.</p>
        </Done>
      )}
    >
      <p>
        From then on, every replica refuses requests with this key. Nobody can undo it. It has spent{' '}
        {money(of.spent_usd)}
        {of.reserved_usd > 0 && `, and ${money(of.reserved_usd)} is reserved for requests in flight`}.
      </p>
    </Plan>
  </ActionDialog>
);
