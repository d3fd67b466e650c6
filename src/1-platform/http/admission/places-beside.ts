import { Counts } from '../../common/work/counts';

/** Of the limit of a class: how many places there are beside it. */
const SHARE_OF_LIMIT = 1 / 4;
/** What one organisation may take of them: it may have many bearers. */
const SHARE_OF_ORGANISATION = 0.75;

/** A sender, and the organisation to which it belongs. */
export interface Sender {
  readonly bearer: string;
  readonly orgId: string;
}

/**
 * Places beside the limit of a class of work. When the class is full, a sender of whom nothing waits takes
 * one: whoever asks rarely does not wait for those who ask too much. The limit and its queue do not count
 * these places.
 */
export class PlacesBeside {
  share = SHARE_OF_LIMIT;
  /** Places that are taken. */
  held = 0;
  private readonly heldBy = new Counts();
  private readonly senders = new Set<string>();

  /** @returns whether there was a place, which must then be returned by `leave` */
  enter({ bearer, orgId }: Sender, limit: number): boolean {
    const places = Math.floor(limit * this.share);
    const mostOfOrg = Math.max(1, Math.floor(places * SHARE_OF_ORGANISATION));
    if (this.held >= places || this.heldBy.of(orgId) >= mostOfOrg || this.senders.has(bearer)) return false;
    this.senders.add(bearer);
    this.heldBy.change(orgId, 1);
    this.held++;
    return true;
  }

  leave({ bearer, orgId }: Sender): void {
    this.senders.delete(bearer);
    this.heldBy.change(orgId, -1);
    this.held--;
  }
}
