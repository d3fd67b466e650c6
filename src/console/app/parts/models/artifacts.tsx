import type { Artifact } from '../../api/serving';
import { Status, type Tone } from '../status';

/** What several pages show of an artifact. */

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  golden: 'good',
  quarantined: 'warn',
  expired: 'quiet',
  deleted: 'quiet',
};

export const ArtifactStatus = ({ status }: { status: string }) => (
  <Status tone={STATUS_TONES[status] ?? 'quiet'}>{status}</Status>
);

/** `restorable`, or the first check that fails, by its name. */
export function Residency({ of: { residency } }: { of: Artifact }) {
  if (residency === null) return <Status tone="quiet">not known</Status>;
  return residency.state === 'restorable' ? (
    <Status tone="good">restorable</Status>
  ) : (
    <Status tone={residency.state === 'deleted' ? 'quiet' : 'bad'}>{residency.state}</Status>
  );
}

export const isRestorable = ({ residency }: Artifact): boolean => residency?.state === 'restorable';

/** A move to a hotter tier. */
export interface Promotion {
  /** pending, confirmed or failed */
  readonly state: string;
  readonly from: string;
}

export function promotionOf({ metadata }: Pick<Artifact, 'metadata'>): Promotion | undefined {
  const { promotion } = (metadata ?? {}) as { promotion?: Partial<Record<keyof Promotion, unknown>> };
  if (typeof promotion?.state !== 'string') return undefined;
  return { state: promotion.state, from: typeof promotion.from === 'string' ? promotion.from : '' };
}
