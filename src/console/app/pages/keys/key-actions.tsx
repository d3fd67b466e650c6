import { Button, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { Fragment, useState } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import dialog from '../../actions/action-dialog.module.css';
import { Done } from '../../actions/done';
import { Secret } from '../../actions/secret';
import { Status } from '../../parts/status';
import { money } from '../../parts/units';
import { bodyOf, changesOf, draftOf, expectedOf, missingIn, NEW_KEY, type KeyDraft } from './key-draft';
import { changeKey, createKey, KEYS, revokeKey, type InferenceKey } from './keys-api';

export function CreateKey() {
  return (
    <ActionDialog operation="create_inference_key" verb="Create key" changes={KEYS} title="Create an inference key">
      <NewKey />
    </ActionDialog>
  );
}

function NewKey() {
  const [draft, setDraft] = useState(NEW_KEY);
  return (
    <Plan
      missing={missingIn(draft)}
      act={(once) => createKey(once, bodyOf(draft))}
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
      <KeyFields draft={draft} change={(part) => setDraft((before) => ({ ...before, ...part }))} />
    </Plan>
  );
}

interface FieldsProps {
  readonly draft: KeyDraft;
  readonly change: (part: Partial<KeyDraft>) => void;
}

const KeyFields = ({ draft: { name, models, budget, rate }, change }: FieldsProps) => (
  <Stack gap="sm">
    <TextInput label="Name" required value={name} onChange={(event) => change({ name: event.currentTarget.value })} />
    <TagsInput
      label="Models"
      description="Press Enter after each. Without any, the key may use all models."
      value={models}
      onChange={(chosen) => change({ models: chosen })}
    />
    <NumberInput
      label="Budget"
      description="In US dollars, in total. Empty: no limit."
      prefix="$"
      min={0}
      hideControls
      value={budget}
      onChange={(entered) => change({ budget: entered })}
    />
    <NumberInput
      label="Requests per second"
      description="Also the size of a burst. Empty: no limit."
      min={1}
      allowDecimal={false}
      hideControls
      value={rate}
      onChange={(entered) => change({ rate: entered })}
    />
  </Stack>
);

export const ChangeKey = ({ of }: { of: InferenceKey }) => (
  <ActionDialog
    operation="update_inference_key"
    verb="Change"
    changes={KEYS}
    title={`Change the key ${of.name}`}
    instead={of.revoked_at !== null && <Fragment />}
  >
    <ChangedKey of={of} />
  </ActionDialog>
);

function ChangedKey({ of: latest }: { of: InferenceKey }) {
  // As the user saw it: what others change meanwhile is not taken back.
  const [of, setOf] = useState(latest);
  const [draft, setDraft] = useState(() => draftOf(of));
  const changes = changesOf(of, draft);
  const isOutdated = Object.keys(changesOf(latest, draftOf(of))).length > 0;
  const startAgain = () => {
    setOf(latest);
    setDraft(draftOf(latest));
  };
  const nothing = Object.keys(changes).length === 0 ? 'Nothing is changed yet.' : undefined;
  return (
    <Plan
      missing={missingIn(draft) ?? nothing}
      act={(once) => changeKey(once, of.key_id, { ...changes, expected: expectedOf(of, changes) })}
      outcome={(_, close) => <Done word="Changed" close={close} />}
    >
      <p>
        The next request is admitted or refused by it, on every replica. Requests that are admitted already are served
        and charged. The key has spent {money(of.spent_usd)}
        {of.reserved_usd > 0 && `, and ${money(of.reserved_usd)} is reserved for requests in flight`}: a budget below
        that admits no further request.
      </p>
      {isOutdated && (
        <div role="status" className={dialog.notice}>
          <p>Somebody else has changed the key since you opened this.</p>
          <Button size="xs" variant="default" onClick={startAgain}>
            Start from what it has now
          </Button>
        </div>
      )}
      <KeyFields draft={draft} change={(part) => setDraft((before) => ({ ...before, ...part }))} />
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
