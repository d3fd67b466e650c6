import { Status, type Tone } from '../status';

/** What several pages show of an experiment. */

const STATES: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  running: ['busy', 'Running'],
  completed: ['good', 'Completed'],
  cancelled: ['quiet', 'Cancelled'],
};

export const ExperimentState = ({ status }: { status: string }) => {
  const [tone, word] = STATES[status] ?? ['quiet', status];
  return <Status tone={tone}>{word}</Status>;
};
