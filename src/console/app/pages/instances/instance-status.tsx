import { Status, type Tone } from '../../parts/status';

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  error: 'bad',
  orphaned: 'warn',
  deleting: 'busy',
  deleted: 'quiet',
};

/** Words of the marketplace without a tone of their own mean that the machine comes up. */
export const InstanceStatus = ({ status }: { status: string }) => (
  <Status tone={TONES[status] ?? 'busy'}>{status}</Status>
);
