import { Place } from './place';
import type { Sender } from './places-beside';
import { Lane } from './work-limits';

const LIMIT = 8;
/** As many as one organisation may have beside that limit at once. */
const BESIDE = 1;

const senderOf = (orgId: string, n: number): Sender => ({ bearer: `${orgId} ${n}`, orgId });

const remote = (places = 1): Lane => new Lane({ most: places, least: places, room: 0 });

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
    const place = new Place(lane, remote(), { beside: sender });
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
    const long = new Place(lane, remote(), { beside: senderOf('one', 1) });
    expect(lane.enterBeside(senderOf('one', 1))).toBe(true);
    expect(lane.enterBeside(senderOf('one', 2))).toBe(false);
    expect(lane.beside.held).toBe(BESIDE);
    // A chat that was admitted, for example: its answer may take minutes.
    long.leave();
    expect(lane.enterBeside(senderOf('one', 1))).toBe(true);
  });
});

describe('a request that waits for another service', () => {
  const held = (...lanes: Lane[]): number[] => lanes.map((lane) => lane.held);

  it('returns to its own class, also after a failure', async () => {
    const [lane, others] = [full(), remote()];
    const place = new Place(lane, others);
    const failed = place.elsewhere(() => Promise.reject(new Error('the storage fails')));
    expect(held(lane, others)).toEqual([LIMIT - 1, 1]);
    await expect(failed).rejects.toThrow('the storage fails');
    expect(held(lane, others)).toEqual([LIMIT, 0]);
  });

  it('is refused without a call if too many wait for other services, and keeps its place', async () => {
    const [lane, others] = [full(), remote(0)];
    const call = jest.fn();
    await expect(new Place(lane, others).elsewhere(call)).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    expect([call.mock.calls, held(lane, others), others.refused]).toEqual([[], [LIMIT, 0], 1]);
  });

  it('takes no second place if it is of their class', async () => {
    const others = remote();
    expect(others.enter()).toBe(true);
    const place = new Place(others, others);
    await place.elsewhere(() => Promise.resolve(expect(held(others)).toEqual([1])));
    place.end();
    expect(held(others)).toEqual([0]);
  });

  it('leaves no place behind if its client disconnects meanwhile', async () => {
    const [lane, others] = [full(), remote()];
    const place = new Place(lane, others);
    const answer = Promise.withResolvers<void>();
    const waits = place.elsewhere(() => answer.promise);
    place.end();
    answer.resolve();
    await waits;
    expect(held(lane, others)).toEqual([LIMIT - 1, 0]);
  });
});

describe('a request of a caller who was unknown', () => {
  it('is refused if its own class is full, and keeps its place until it is answered', () => {
    const [strangers, own] = [full(), remote(0)];
    const place = new Place(strangers, own, { own });
    expect(() => place.callerIsKnown('one')).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect([strangers.held, own.held]).toEqual([LIMIT, 0]);
    place.end();
    expect(strangers.held).toBe(LIMIT - 1);
  });
});
