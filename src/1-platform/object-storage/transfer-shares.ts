import { Injectable } from '@nestjs/common';
import { Counts } from '../common/work/counts';
import { overloaded } from '../http/admission/place';
import type { ServiceRequest } from '../common/work/request';

/** Of the places for files that clients send or read, one organisation leaves a quarter to the others. */
const MOST_OF_ONE = 750;

/**
 * How many files each organisation sends or reads. A client may be slow, so its place is taken for as long as
 * it likes, and everybody who has an address of a public file is a client of the organisation that has it.
 */
@Injectable()
export class TransferShares {
  most = MOST_OF_ONE;
  private readonly held = new Counts();

  /**
   * Counts until the request is answered.
   * @param key of an object, whose signature was checked: its second part is the organisation
   * @throws 503 if the organisation has too many
   */
  take(key: string, { place }: Pick<ServiceRequest, 'place'>): void {
    // While the service stops, requests have none.
    if (!place) return;
    const owner = key.split('/', 2)[1] ?? '';
    if (this.held.of(owner) >= this.most) throw overloaded();
    this.held.change(owner, 1);
    place.whenOver(() => this.held.change(owner, -1));
  }
}
