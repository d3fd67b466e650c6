import { setTimeout as sleep } from 'node:timers/promises';
import { ProfileLoads } from '../profile-loads';
import type { RoutedProfile, RoutedWorker } from '../routing-table';
import { WaitingRooms } from '../waiting-requests';
import { workerKey } from './worker-rests';
import { WorkerSeats } from './worker-seats';

const ORG = 'org';

const worker = (uid: string | null, capacity = 2): RoutedWorker =>
  ({ uid, endpoint: `http://${uid ?? 'all'}`, capacity }) as RoutedWorker;
const profileOf = (workers: readonly RoutedWorker[], profileId = 'profile'): RoutedProfile =>
  ({ profileId, ready: workers.length > 0, silent: false, workers }) as RoutedProfile;

describe('the workers of a profile', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((uid) => worker(uid)) as [
    RoutedWorker,
    RoutedWorker,
    RoutedWorker,
  ];
  const profile = profileOf([one, two, three]);
  let ahead: number;
  let rooms: WaitingRooms;
  let seats: WorkerSeats;
  let loads: ProfileLoads;

  beforeEach(() => {
    ahead = 0;
    // The clock stands still until a test moves it. A whole number, so that sums of it are exact.
    const now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now + ahead);
    // Other replicas do not take part.
    const nobody = undefined as never;
    rooms = new WaitingRooms();
    loads = new ProfileLoads(nobody, nobody, rooms, nobody);
    seats = new WorkerSeats(loads);
  });
  afterEach(() => jest.restoreAllMocks());

  const pass = async (milliseconds: number): Promise<void> => {
    ahead += milliseconds;
    // The cache reads the clock once a millisecond.
    await sleep(10);
  };
  const uidOf = (seat: { worker: RoutedWorker } | undefined) => seat?.worker.uid;
  const takes = (count: number, tried?: ReadonlySet<string>) =>
    Array.from({ length: count }, () => uidOf(seats.take(ORG, profile, tried)));
  const room = (tried?: ReadonlySet<string>) => seats.room(ORG, profile, tried);

  it('get requests in turn, whose places are free again once they are left', () => {
    const taken = Array.from({ length: 3 }, () => seats.take(ORG, profile));
    expect(taken.map(uidOf)).toEqual(['one', 'two', 'three']);
    expect(room()).toEqual({ isTried: false, lostMs: 0, capacity: 6, inFlight: 3 });
    // A request may say twice that it is over.
    taken[1]?.leave();
    taken[1]?.leave();
    expect(room().inFlight).toBe(2);
    expect(takes(1)).toEqual(['two']);
  });

  it('are neither used nor in demand by requests whose places are only held', () => {
    const seen = () => [
      room().inFlight,
      loads.demand(ORG, 'profile').running,
      loads.unusedForMs(ORG, 'profile', performance.now()),
    ];
    const [refused, admitted] = [seats.take(ORG, profile)!, seats.take(ORG, profile)!];
    expect(seen()).toEqual([2, 0, Infinity]);
    refused.leave();
    expect(seen()).toEqual([1, 0, Infinity]);
    // The place is gone: nothing begins there.
    refused.begin();
    expect(seen()).toEqual([1, 0, Infinity]);
    admitted.begin();
    admitted.begin();
    expect(seen()).toEqual([1, 1, 0]);
    admitted.leave();
    expect(seen()).toEqual([0, 0, 0]);
  });

  it('are told which one comes next, without a place', () => {
    expect([1, 2, 3, 4].map(() => seats.next(ORG, profile)?.uid)).toEqual(['one', 'two', 'three', 'one']);
    expect(room().inFlight).toBe(0);
  });

  it('keep a conversation where it was, if that worker has room', () => {
    const again = () => uidOf(seats.take(ORG, profile, undefined, 'three'));
    expect([again(), again(), again()]).toEqual(['three', 'three', 'one']);
  });

  it('have free places even if one of them got more than its share', () => {
    const only = profileOf([one]);
    for (let n = 0; n < 5; n++) seats.take(ORG, only);
    expect(room()).toEqual({ isTried: false, lostMs: 0, capacity: 6, inFlight: 2 });
    // The only one has no free place as long as it has so many.
    expect(seats.room(ORG, only, undefined)).toEqual({ isTried: false, lostMs: 0, capacity: 2, inFlight: 5 });
  });

  it('serve a request once each', () => {
    expect(takes(2, new Set(['one', 'three']))).toEqual(['two', 'two']);
    expect(room(new Set(['one', 'three']))).toEqual({ isTried: false, lostMs: 0, capacity: 2, inFlight: 2 });
    const all = new Set(['one', 'two', 'three']);
    expect(takes(1, all)).toEqual([undefined]);
    expect(room(all)).toEqual({ isTried: true, lostMs: 0, capacity: 0, inFlight: 0 });
  });

  it('were not tried if none of them is ready', () => {
    const none = profileOf([]);
    expect(seats.take(ORG, none)).toBeUndefined();
    expect(seats.room(ORG, none, new Set(['one']))).toEqual({ isTried: false, lostMs: 0, capacity: 0, inFlight: 0 });
  });

  it('are passed over for five seconds if they failed, while others have not', async () => {
    seats.rests.drop(ORG, profile, one, true);
    expect(takes(4).toSorted()).toEqual(['three', 'three', 'two', 'two']);
    expect(room()).toEqual({ isTried: false, lostMs: 0, capacity: 4, inFlight: 4 });
    // Of the others, each was tried.
    expect(takes(1, new Set(['two', 'three']))).toEqual(['one']);
    await pass(4_999);
    expect(takes(1)).not.toContain('one');
    await pass(2);
    expect(room()).toMatchObject({ capacity: 6 });
    expect(takes(1)).toEqual(['one']);
  });

  it('are preferred by requests that failed elsewhere to those that are doubted, for five seconds', async () => {
    const again = new Set(['one']);
    for (const doubted of [one, two]) seats.rests.doubt(ORG, profile, doubted, true);
    expect(takes(1, again)).toEqual(['three']);
    await pass(4_999);
    expect(takes(1, again)).toEqual(['three']);
    // It is full: such a request waits for nobody. For any other request, nothing has changed.
    expect(room(again)).toEqual({ isTried: false, lostMs: 0, capacity: 4, inFlight: 2 });
    expect(room()).toEqual({ isTried: false, lostMs: 0, capacity: 6, inFlight: 2 });
    expect(room(new Set())).toEqual(room());
    expect(takes(1, again)).toEqual(['two']);
  });

  it('are doubted for five seconds', async () => {
    seats.rests.doubt(ORG, profile, two, true);
    await pass(5_001);
    expect(takes(2, new Set(['one'])).toSorted()).toEqual(['three', 'two']);
  });

  it('are as good as others once they answer, and if nobody is left without a doubt', () => {
    const again = new Set(['one']);
    for (const doubted of [two, three]) seats.rests.doubt(ORG, profile, doubted, true);
    expect(takes(2, again).toSorted()).toEqual(['three', 'two']);
    seats.rests.trust(ORG, profile, three);
    expect(takes(1, again)).toEqual(['three']);
    seats.rests.doubt(ORG, profile, three, true);
    // A worker that has failed is worse than one that is doubted.
    seats.rests.drop(ORG, profile, two, false);
    expect(takes(1, again)).toEqual(['three']);
  });

  it('are passed over if a doubt about them turns out right, unless they have answered a request since', () => {
    const doubt = seats.rests.doubt(ORG, profile, two, true);
    expect([seats.rests.doubt(ORG, profile, two, true), seats.rests.doubtAbout(ORG, profile, two)]).toEqual([
      doubt,
      doubt,
    ]);
    seats.rests.trust(ORG, profile, two);
    expect(seats.rests.doubtAbout(ORG, profile, two)).toBeUndefined();
    seats.rests.confirm(ORG, profile, two, doubt);
    // It is doubted again, for another reason.
    const other = seats.rests.doubt(ORG, profile, two, true);
    seats.rests.confirm(ORG, profile, two, doubt);
    expect(room()).toMatchObject({ capacity: 6 });
    seats.rests.confirm(ORG, profile, two, other);
    expect(room()).toMatchObject({ capacity: 4 });
  });

  it('are passed over if a doubt turns out right after minutes, as another one took so long to answer', async () => {
    const doubts = [two, three].map((doubted) => seats.rests.doubt(ORG, profile, doubted, true));
    await pass(10 * 60_000);
    // It is no reason to avoid them any more, or to count another failure as the second one.
    expect(takes(2, new Set(['one'])).toSorted()).toEqual(['three', 'two']);
    expect(seats.rests.doubtAbout(ORG, profile, two)).toBeUndefined();
    seats.rests.trust(ORG, profile, three);
    for (const [place, doubted] of [two, three].entries()) seats.rests.confirm(ORG, profile, doubted, doubts[place]!);
    expect(seats.all(ORG, profile).map(({ passedOverMs }) => passedOverMs)).toEqual([0, 5_000, 0]);
  });

  it('rest once for each of their failures, however many earlier requests others answer', async () => {
    const doubt = seats.rests.doubt(ORG, profile, two, true);
    seats.rests.doubt(ORG, profile, two, true);
    seats.rests.confirm(ORG, profile, two, doubt);
    await pass(5_001);
    seats.rests.confirm(ORG, profile, two, doubt);
    expect(room()).toMatchObject({ capacity: 6 });
    seats.rests.doubt(ORG, profile, two, true);
    seats.rests.confirm(ORG, profile, two, doubt);
    expect(room()).toMatchObject({ capacity: 4 });
  });

  it('rest for no failure as sound workers have it, if they have rested for the one before', async () => {
    const doubt = seats.rests.doubt(ORG, profile, two, true);
    seats.rests.confirm(ORG, profile, two, doubt);
    await pass(5_001);
    expect(seats.rests.doubt(ORG, profile, two, false)).toBe(doubt);
    seats.rests.confirm(ORG, profile, two, doubt);
    expect(room()).toMatchObject({ capacity: 6 });
    expect(takes(2, new Set(['one']))).toEqual(['three', 'three']);
  });

  it('are avoided by retries until five seconds after their last failure', async () => {
    const doubt = seats.rests.doubt(ORG, profile, two, true);
    await pass(4_000);
    expect(seats.rests.doubt(ORG, profile, two, true)).toBe(doubt);
    await pass(4_000);
    expect(takes(2, new Set(['one']))).toEqual(['three', 'three']);
  });

  it('are forgotten if ten thousand others have been doubted since', () => {
    const doubt = seats.rests.doubt(ORG, profile, two, true);
    for (let other = 0; other < 10_000; other++) seats.rests.doubt(ORG, profile, worker(`other ${other}`), true);
    seats.rests.confirm(ORG, profile, two, doubt);
    expect(room()).toMatchObject({ capacity: 6 });
  });

  it('serve again at once if all of them failed', () => {
    for (const failed of profile.workers) seats.rests.drop(ORG, profile, failed, true);
    expect(takes(3)).toEqual(['one', 'two', 'three']);
    expect(room()).toEqual({ isTried: false, lostMs: 0, capacity: 6, inFlight: 3 });
  });

  it('are lost if none of them can be reached and their controller is silent, for 30 seconds', async () => {
    const silent: RoutedProfile = { ...profile, silent: true };
    for (const failed of [one, two]) seats.rests.drop(ORG, silent, failed, true);
    // One of them may still serve.
    seats.rests.drop(ORG, silent, three, false);
    expect(seats.room(ORG, silent, undefined)).toMatchObject({ lostMs: 0, capacity: 6 });
    expect(seats.lost(ORG, [silent])).toEqual([]);
    await pass(5_001);
    seats.rests.drop(ORG, silent, three, true);
    const none = { isTried: false, capacity: 0, inFlight: 0 };
    expect(seats.room(ORG, silent, undefined)).toEqual({ ...none, lostMs: 24_999 });
    expect(seats.room(ORG, silent, new Set(['one', 'two', 'three']))).toEqual({ ...none, lostMs: 24_999 });
    expect(seats.lost(ORG, [profileOf([worker('x')], 'another'), silent])).toEqual(['profile']);
    expect(seats.lost(ORG, [{ ...profileOf([]), silent: true }])).toEqual([]);
    // Its controller reports it again.
    expect(seats.lost(ORG, [profile])).toEqual([]);
    expect(room()).toMatchObject({ lostMs: 0, capacity: 6 });
    await pass(25_000);
    expect(seats.lost(ORG, [silent])).toEqual([]);
    expect(seats.room(ORG, silent, undefined)).toMatchObject({ lostMs: 0, capacity: 4 });
  });

  it('offer their places to requests that wait, whoever leaves them', () => {
    const lookAgain = jest.fn(() => expect(room().inFlight).toBe(0));
    rooms.set(ORG, { lookAgain, lookElsewhere: () => undefined });
    const seat = seats.take(ORG, profile);
    expect(lookAgain).not.toHaveBeenCalled();
    seat?.leave();
    seat?.leave();
    expect(lookAgain).toHaveBeenCalledTimes(1);
  });

  it('are shown with their requests, and with how long they are passed over', async () => {
    seats.take(ORG, profile);
    seats.rests.drop(ORG, profile, two, true);
    const shown = (uid: RoutedWorker, inFlight: number, passedOverMs: number) => ({
      worker: uid,
      inFlight,
      passedOverMs,
    });
    await pass(2_000);
    expect(seats.all(ORG, profile)).toEqual([shown(one, 1, 0), shown(two, 0, 3_000), shown(three, 0, 0)]);
    await pass(4_000);
    expect(seats.all(ORG, profile)).toEqual([shown(one, 1, 0), shown(two, 0, 0), shown(three, 0, 0)]);
  });

  it('are those of one organisation and profile, whatever others report', () => {
    seats.rests.drop('another', profile, one, true);
    seats.rests.drop(ORG, profileOf([one], 'another'), one, true);
    expect(takes(3)).toEqual(['one', 'two', 'three']);
  });

  it('have one name for all of them if they have one address', () => {
    const [all, other] = [worker(null), worker(null)];
    expect([workerKey(profile, one), workerKey(profileOf([all]), all)]).toEqual(['one', 'of profile']);
    seats.rests.drop(ORG, profileOf([all]), all, true);
    expect(seats.all(ORG, profileOf([all]))).toEqual([{ worker: all, inFlight: 0, passedOverMs: 5_000 }]);
    expect(seats.all(ORG, profileOf([other], 'other'))).toEqual([{ worker: other, inFlight: 0, passedOverMs: 0 }]);
  });
});
