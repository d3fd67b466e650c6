import type { Experiment } from '../../api/experiments';
import { ActionDialog, Plan } from '../action-dialog';
import { Done } from '../done';
import { endExperiment } from './experiments-api';

const WORDS = {
  completed: { verb: 'Complete', past: 'Completed', why: 'Its figures count: it went as it should.' },
  cancelled: {
    verb: 'Cancel experiment',
    past: 'Cancelled',
    why: 'Its figures stay, marked as those of a cancelled test.',
  },
} as const;

/** Ends an experiment, in one of both ways. */
export const EndExperiment = ({ of, as }: { of: Experiment; as: 'completed' | 'cancelled' }) => (
  <ActionDialog
    operation="complete_experiment"
    changes="experiments"
    verb={WORDS[as].verb}
    title={`${WORDS[as].verb}: ${of.name}`}
    impossible={of.status === 'running' ? undefined : `It is ${of.status} already.`}
  >
    <Plan
      act={(once) => endExperiment(once, of.id, as)}
      outcome={(_, close) => (
        <Done word={WORDS[as].past} close={close}>
          <p>From now on, a request belongs to it only if it names it.</p>
        </Done>
      )}
    >
      <p>
        From then on, a request belongs to it only if it names it. {WORDS[as].why} Nobody can start it again: start
        another one instead.
      </p>
    </Plan>
  </ActionDialog>
);
