import { AfterCommit } from '../../1-platform/database/transactions/observers';

export interface MovedActivation {
  readonly orgId: string;
  readonly profileId: string;
}

/** A report moved an activation that a capacity intent waits for. */
export class ActivationMoved extends AfterCommit<MovedActivation> {}
