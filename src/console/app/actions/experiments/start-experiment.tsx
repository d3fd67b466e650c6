import { Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { profilesQuery } from '../../api/serving';
import { ActionDialog, Plan } from '../action-dialog';
import { Done } from '../done';
import { startExperiment } from './experiments-api';

const EXAMPLE = '{"clients": 50}';

/** Undefined: the text is no JSON. */
function parametersOf(text: string): { readonly value?: unknown } | undefined {
  if (text.trim() === '') return {};
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

export function StartExperiment({ profile }: { profile: string | undefined }) {
  return (
    <ActionDialog
      operation="create_experiment"
      changes="experiments"
      verb="Start experiment"
      title="Start an experiment"
    >
      <ExperimentForm profile={profile} />
    </ActionDialog>
  );
}

function ExperimentForm({ profile: chosen }: { profile: string | undefined }) {
  const [name, setName] = useState('');
  const [scenario, setScenario] = useState('');
  const [text, setText] = useState('');
  const [profile, setProfile] = useState<string | null>(chosen ?? null);
  const profiles = useQuery(profilesQuery).data?.rows ?? [];
  const parameters = parametersOf(text);
  const missing =
    name.trim() === ''
      ? 'Give it a name.'
      : scenario.trim() === ''
        ? 'Say what it does.'
        : parameters === undefined
          ? 'The parameters are not JSON.'
          : undefined;
  return (
    <Plan
      missing={missing}
      act={(once) =>
        startExperiment(once, {
          name: name.trim(),
          scenario: scenario.trim(),
          ...(parameters?.value === undefined ? {} : { parameters: parameters.value }),
          ...(profile === null ? {} : { profile_id: profile }),
        })
      }
      outcome={({ id, name: started }, close) => (
        <Done word="Running" close={close}>
          <p>
            <Link to="/experiments/$id" params={{ id }} onClick={close}>
              Show {started}
            </Link>
          </p>
        </Done>
      )}
    >
      <p>
        It runs until somebody completes or cancels it. It sends no requests itself: meanwhile, what its profile serves
        belongs to it. A chat with the header X-Experiment-Id names it, whatever serves it.
      </p>
      <Stack gap="sm">
        <TextInput
          label="Name"
          required
          maxLength={253}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Scenario"
          description="What it does, for those who read its figures later."
          required
          maxLength={1_024}
          value={scenario}
          onChange={(event) => setScenario(event.currentTarget.value)}
        />
        <Select
          label="Profile"
          description="Without one, only requests that name the experiment belong to it."
          data={profiles.map(({ profile_id: id }) => id)}
          value={profile}
          onChange={setProfile}
          searchable
          clearable
          limit={100}
          clearButtonProps={{ 'aria-label': 'Clear profile' }}
        />
        <Textarea
          label="Parameters"
          description={`Any JSON, such as ${EXAMPLE}. It is kept as it is.`}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </Stack>
    </Plan>
  );
}
