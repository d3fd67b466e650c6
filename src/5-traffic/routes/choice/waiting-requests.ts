import { Injectable } from '@nestjs/common';

/** Requests of one organisation that wait for a place at a profile. */
export interface WaitingRequests {
  /** A place may be free now, or a new routing table was read. */
  lookAgain(): void;
  /** A profile cannot be started now: requests that wait for it need another one. */
  lookElsewhere(profileId: string): void;
}

/** By organisation, the requests that wait in this replica. One without waiting requests is not here. */
@Injectable()
export class WaitingRooms extends Map<string, WaitingRequests> {}
