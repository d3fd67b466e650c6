import { NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { Secret } from '../../actions/secret';
import { numberMissing, someNumber, type Entered } from '../../parts/entered';
import { Status } from '../../parts/status';
import { now } from '../../parts/time/clock';
import { createToken, revokeToken, TOKENS, type AccessToken } from './keys-api';

const ROLES = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'operator', label: 'Operator: reads, checkpoints, restores, configures' },
  { value: 'controller', label: 'Controller: reports for a cluster' },
  { value: 'admin', label: 'Admin: everything, tokens included' },
] as const;

type Role = AccessToken['role'];

const DAY_MS = 86_400_000;

export function CreateToken() {
  return (
    <ActionDialog operation="create_token" verb="Create token" changes={TOKENS} title="Create an access token">
      <TokenForm />
    </ActionDialog>
  );
}

function TokenForm() {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  // Not the time of each attempt: a repetition must be the same request.
  const [openedAt] = useState(now);
  const [days, setDays] = useState<Entered>(90);
  const lasts = someNumber(days);
  return (
    <Plan
      missing={name.trim() === '' ? 'Give the token a name, so that people know whose it is.' : numberMissing(lasts)}
      act={(once) =>
        createToken(once, {
          name: name.trim(),
          role,
          expires_at: lasts === null ? null : new Date(openedAt + lasts * DAY_MS).toISOString(),
        })
      }
      outcome={({ raw_token: token }, close) => (
        <Secret
          what="token"
          text={token}
          use="Programs send it as their bearer; people paste it into this console."
          close={close}
        />
      )}
    >
      <p>Whoever has the token acts in your organisation with its role, until it expires or is revoked.</p>
      <Stack gap="sm">
        <TextInput label="Name" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Select
          label="Role"
          data={ROLES}
          value={role}
          allowDeselect={false}
          onChange={(chosen) => setRole(ROLES.find(({ value }) => value === chosen)?.value ?? 'viewer')}
        />
        <NumberInput
          label="Days until it expires"
          description="Empty: never."
          min={1}
          allowDecimal={false}
          hideControls
          value={days}
          onChange={setDays}
        />
      </Stack>
    </Plan>
  );
}

interface RevokeTokenProps {
  readonly of: AccessToken;
  readonly isOwn: boolean;
  /** The user sees the tokens of every organisation. */
  readonly isOfPlatform: boolean;
}

export const RevokeToken = ({ of, isOwn, isOfPlatform }: RevokeTokenProps) => (
  <ActionDialog
    operation="revoke_token"
    verb="Revoke"
    changes={TOKENS}
    title={`Revoke the token ${of.name}`}
    instead={of.status !== 'active' && <Status tone="quiet">{of.status === 'expired' ? 'Expired' : 'Revoked'}</Status>}
  >
    <Plan
      act={() => revokeToken(of.token_id)}
      outcome={(_, close) => (
        <Done word="Revoked" close={close}>
          <p>Every replica refuses the token from now on. It stays in the list.</p>
        </Done>
      )}
    >
      {isOfPlatform && (
        <p>
          It is a token of the organisation <strong>{of.organisation_name}</strong>.
        </p>
      )}
      <p>From then on, every replica refuses the token. Nobody can undo it.</p>
      {isOwn && (
        <p>
          <strong>You are signed in with this token: you will have to sign in with another.</strong>
        </p>
      )}
    </Plan>
  </ActionDialog>
);
