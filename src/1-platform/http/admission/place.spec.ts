import { Place } from './place';
import type { Sender } from './places-beside';
import { Lane } from './work-limits';

const LIMIT = 8;
/** As many as one organisation may have beside that limit at once. */
const BESIDE = 1;

const senderOf = (orgId: string, n: number): Sender => ({ bearer: `${orgId} ${n}`, orgId });

/** A class whose places are all taken. */
function full(): Lane {
  const lane = new Lane({ most: LIMIT, least: LIMIT });
  for (let n = 0; n < LIMIT; n++) expect(lane.enter()).toBe(true);
  return lane;
}

/** Requests that pass the queue, and leave their places at once: their bodies are slow. */
function passing(lane: Lane, orgId: string, count: number): Place[] {
  const places: Place[] = [];
  for (let n = 0; n < count; n++) {
    const sender = senderOf(orgId, n);
    if (!lane.enterBeside(sender)) continue;
    const place = new Place(lane, sender);
    place.leave();
    places.push(place);
  }
  return places;
}

describe('a request that left a place beside a full class', () => {
  it('queues behind those that wait already, however many of its organisation pass the queue', async () => {
    const lane = full();
    const served: string[] = [];
    for (let n = 0; n < 5; n++)
      lane.wait({ sender: `victim ${n}`, begin: () => served.push('victim'), refuse: () => served.push('refused') }, 0);
    const places = passing(lane, 'greedy', 50);
    expect(places).toHaveLength(50);
    const back = places.map((place) => place.again().then(() => served.push('greedy')));
    for (let n = 0; n < 5; n++) lane.leave();
    await Promise.resolve();
    expect(served).toEqual(['victim', 'victim', 'victim', 'victim', 'victim']);
    expect(lane).toMatchObject({ held: LIMIT, inProgress: LIMIT, waiting: 50 });
    for (const place of places) place.end();
    await Promise.allSettled(back);
    expect(lane).toMatchObject({ held: LIMIT, inProgress: LIMIT, waiting: 0 });
  });

  it('takes turns with other senders, and counts once as admitted', async () => {
    const lane = full();
    const { admitted } = lane;
    const [place] = passing(lane, 'rare', 1);
    const back = place!.again();
    lane.leave();
    await back;
    expect(lane).toMatchObject({ held: LIMIT, waiting: 0, admitted: admitted + 1 });
    place!.end();
    expect(lane.held).toBe(LIMIT - 1);
  });

  it('is refused where a new request of its sender would be', async () => {
    const lane = full();
    const [place] = passing(lane, 'rare', 1);
    lane.room = 0;
    await expect(place!.again()).rejects.toMatchObject({ status: 503 });
    expect(lane).toMatchObject({ refused: 1, waiting: 0 });
  });

  it('goes first once it has had a place within the limit, as all others', async () => {
    const lane = full();
    const [place] = passing(lane, 'rare', 1);
    lane.leave();
    await place!.again();
    const served: string[] = [];
    lane.wait({ sender: 'new', begin: () => served.push('new'), refuse: () => undefined }, 0);
    place!.leave();
    expect(served).toEqual(['new']);
    lane.wait({ sender: 'newer', begin: () => served.push('newer'), refuse: () => undefined }, 0);
    const back = place!.again().then(() => served.push('returned'));
    lane.leave();
    await back;
    expect(served).toEqual(['new', 'returned']);
    lane.leave();
    expect(served).toEqual(['new', 'returned', 'newer']);
    expect(lane.held).toBe(LIMIT);
  });

  it('lets the same sender pass again, and no more of its organisation at once than may', () => {
    const lane = full();
    const long = new Place(lane, senderOf('one', 1));
    expect(lane.enterBeside(senderOf('one', 1))).toBe(true);
    expect(lane.enterBeside(senderOf('one', 2))).toBe(false);
    expect(lane.beside.held).toBe(BESIDE);
    // A chat that was admitted, for example: its answer may take minutes.
    long.leave();
    expect(lane.enterBeside(senderOf('one', 1))).toBe(true);
  });
});
