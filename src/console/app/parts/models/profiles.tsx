import { phaseTone } from './profile-facts';
import { Status, type Tone } from '../status';

/** What several pages show of a profile. */

export const PhaseStatus = ({ phase }: { phase: string | null | undefined }) =>
  phase == null || phase === '' ? (
    <Status tone="quiet">Never reported</Status>
  ) : (
    <Status tone={phaseTone(phase)}>{phase}</Status>
  );

const INTENT_TONES: Readonly<Record<string, Tone>> = {
  Pending: 'busy',
  Fulfilled: 'good',
  Failed: 'bad',
  Expired: 'bad',
  Superseded: 'quiet',
};

export const IntentStatus = ({ status }: { status: string }) => (
  <Status tone={INTENT_TONES[status] ?? 'quiet'}>{status}</Status>
);
