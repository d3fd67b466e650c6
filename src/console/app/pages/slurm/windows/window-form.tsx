import { Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { isWindow, type WindowDraft } from './window-draft';

interface WindowFormProps {
  readonly draft: WindowDraft;
  readonly change: (part: Partial<WindowDraft>) => void;
  /** Only a window that exists can be cancelled. */
  readonly mayCancel: boolean;
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const WindowForm = ({ draft, change, mayCancel }: WindowFormProps) => (
  <Stack gap="sm">
    <TextInput
      type="datetime-local"
      label="Begins"
      description={`In the time zone of this browser, ${ZONE}.`}
      required
      value={draft.start}
      onChange={(event) => change({ start: event.currentTarget.value })}
    />
    <TextInput
      type="datetime-local"
      label="Ends"
      required
      value={draft.end}
      error={draft.start !== '' && draft.end !== '' && !isWindow(draft) && 'It must end after it begins.'}
      onChange={(event) => change({ end: event.currentTarget.value })}
    />
    <Textarea
      label="Reason"
      required
      maxLength={1_024}
      autosize
      value={draft.reason}
      onChange={(event) => change({ reason: event.currentTarget.value })}
    />
    <TagsInput
      label="Nodes"
      description="Names, each followed by Enter. Empty: no particular ones."
      value={[...draft.nodes]}
      onChange={(nodes) => change({ nodes })}
    />
    <TagsInput
      label="Partitions"
      description="Names, each followed by Enter. Empty: no particular ones."
      value={[...draft.partitions]}
      onChange={(partitions) => change({ partitions })}
    />
    {mayCancel && (
      <Switch
        label="Cancelled"
        description="It stays in the list, and does not take place."
        checked={draft.isCancelled}
        onChange={(event) => change({ isCancelled: event.currentTarget.checked })}
      />
    )}
  </Stack>
);
