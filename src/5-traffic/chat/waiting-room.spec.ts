import { setImmediate as turnIsOver } from 'node:timers/promises';
import type { OrgContext } from '../../1-platform/auth/org-context';
import type { Choice } from '../routes/choice/route-choice';
import { ProfileLoads } from '../routes/choice/profile-loads';
import type { ChoiceRequest, RoutingService } from '../routes/choice/routing.service';
import type { RoutedProfile } from '../routes/choice/routing-table';
import type { RoutingTables } from '../routes/choice/routing-tables.service';
import { WaitingRooms } from '../routes/choice/waiting-requests';
import { WorkerSeats } from '../routes/choice/workers/worker-seats';
import { ConversationWorkers } from './conversation-workers';
import { WaitingRoom, type Seat } from './waiting-room';

const ORG = 'org';
const WAITS: Choice = { kind: 'wait', profileId: 'profile', wake: null, retryAfterMs: 1_000 };

const SERVES: Choice = {
  kind: 'serve',
  profileId: 'profile',
  source: 'priority',
  meantFor: 'profile',
  fallbackUsed: false,
  wake: null,
};
const FULL: Choice = { kind: 'refuse', reason: 'queue_full', full: 'profile', wake: null, retryAfterMs: 1_000 };

describe('the waiting room', () => {
  /** Workers that serve one request at a time, of a profile to which all models are routed. */
  let profile: RoutedProfile;
  /** Choices that were made. */
  let choices: number;
  let rooms: WaitingRooms;
  let room: WaitingRoom;
  /** Requests in the order in which they got their places. */
  let served: string[];
  let refused: string[];
  let seats: Map<string, Seat>;

  beforeEach(() => {
    const worker = { uid: 'worker', endpoint: 'http://worker', capacity: 1 };
    profile = { profileId: 'profile', ready: true, silent: false, maxQueueDepth: 1_000, workers: [worker] } as never;
    choices = 0;
    served = [];
    refused = [];
    seats = new Map();
    const nobody = undefined as never;
    rooms = new WaitingRooms();
    const loads = new ProfileLoads(nobody, nobody, rooms, nobody);
    const places = new WorkerSeats(loads);
    const route = { targets: [{ profile }] };
    const table = { model: () => route, profiles: new Map([['profile', profile]]) };
    const routing = {
      route: () => Promise.resolve({ table, route }),
      choose: (_table: unknown, _org: unknown, _route: unknown, { triedWorkers }: ChoiceRequest): Choice => {
        choices++;
        const { inFlight, capacity } = places.room(ORG, profile, triedWorkers);
        if (inFlight >= capacity) return loads.queued(ORG, 'profile') < profile.maxQueueDepth ? WAITS : FULL;
        return SERVES;
      },
    };
    room = new WaitingRoom(
      routing as unknown as RoutingService,
      { held: () => table } as unknown as RoutingTables,
      loads,
      places,
      new ConversationWorkers(),
      rooms,
    );
  });

  /** Lets a request enter. Its name is that of its model, and a number. */
  const enters = async (
    name: string,
    request: { tier?: string; triedWorkers?: ReadonlySet<string> } = {},
    keyId = '',
  ) => {
    const guest = {
      context: { orgId: ORG, ...(keyId !== '' && { key: { keyId } }) } as OrgContext,
      logicalModel: name.split(' ')[0]!,
      endpoint: 'chat' as const,
      conversation: { prefixes: () => [] },
      request,
    };
    const deadlineAt = performance.now() + 60_000;
    void room.enter(guest, deadlineAt, new AbortController().signal).then(
      (seat) => {
        served.push(name);
        seats.set(name, seat);
      },
      () => refused.push(name),
    );
    await turnIsOver();
  };
  const leaves = async (name: string) => {
    seats.get(name)?.leave();
    await turnIsOver();
  };
  afterEach(async () => {
    for (const name of served) await leaves(name);
  });

  it('serves requests in the order of their arrival, whatever their models and tiers', async () => {
    await enters('a 0');
    const names = ['b 1', 'a 2', 'a 3', 'b 4', 'c 5', 'a 6', 'c 7', 'b 8'];
    for (const [place, name] of names.entries())
      await enters(name, { ...(place % 3 === 0 ? {} : { tier: `tier-${place % 3}` }) });
    expect(room.size).toBe(8);
    for (const name of ['a 0', ...names]) await leaves(name);
    expect(served).toEqual(['a 0', ...names]);
    expect([room.size, rooms.size]).toEqual([0, 0]);
  });

  it('gives several places to several requests of one model at once, in their order', async () => {
    await enters('a 0');
    for (const name of ['a 1', 'b 2', 'a 3', 'a 4']) await enters(name);
    Object.assign(profile.workers[0]!, { capacity: 4 });
    rooms.get(ORG)?.lookAgain();
    await turnIsOver();
    expect(served).toEqual(['a 0', 'a 1', 'b 2', 'a 3']);
    await leaves('a 1');
    expect(served.at(-1)).toBe('a 4');
  });

  it('gives a free place to a request that comes, if those that wait have failed there, however many they are', async () => {
    const [broken, good] = ['broken', 'good'].map((uid) => ({ uid, endpoint: `http://${uid}`, capacity: 1 }));
    Object.assign(profile, { workers: [broken, good], maxQueueDepth: 1 });
    const triedWorkers = new Set(['broken']);
    for (const name of ['a 0', 'a 1', 'a 2']) await enters(name, { triedWorkers });
    expect([served, room.size, refused]).toEqual([['a 0'], 1, ['a 2']]);
    await enters('a 3');
    expect([served, seats.get('a 3')?.worker.uid]).toEqual([['a 0', 'a 3'], 'broken']);
    // Without a free place, it needs one in the queue.
    await enters('a 4');
    expect(refused).toEqual(['a 2', 'a 4']);
    await leaves('a 0');
    expect(served).toEqual(['a 0', 'a 3', 'a 1']);
  });

  it('gives a free place of which it has not heard to the request that waits, and not to the one that comes', async () => {
    Object.assign(profile, { maxQueueDepth: 1 });
    for (const name of ['a 0', 'b 1']) await enters(name);
    Object.assign(profile.workers[0]!, { capacity: 2 });
    await enters('a 2');
    expect([served, room.size, refused]).toEqual([['a 0', 'b 1'], 1, []]);
    await leaves('a 0');
    expect(served).toEqual(['a 0', 'b 1', 'a 2']);
  });

  it('refuses the newest request of the key that has most, for one of a key that has fewer by at least two', async () => {
    Object.assign(profile, { maxQueueDepth: 4 });
    const of = async (keyId: string, ...names: string[]) => {
      for (const name of names) await enters(name, {}, keyId);
    };
    await of('greedy', 'a 0', 'a 1', 'b 2', 'a 3', 'b 4', 'a 5');
    expect(refused).toEqual(['a 5']);
    await of('modest', 'a 6', 'b 7', 'a 8');
    expect(refused).toEqual(['a 5', 'b 4', 'a 3', 'a 8']);
    // Requests without a key count as those of one more. A difference of one stays.
    await of('', 'a 9', 'b 10');
    await of('greedy', 'a 11');
    expect(refused.slice(4)).toEqual(['b 2', 'b 10', 'a 11']);
    for (const name of ['a 0', 'a 1', 'a 6', 'b 7', 'a 9']) await leaves(name);
    expect(served).toEqual(['a 0', 'a 1', 'a 6', 'b 7', 'a 9']);
    expect([room.size, rooms.size]).toEqual([0, 0]);
  });

  it.each([undefined, 'large'])(
    'decides once for all requests of one model and tier (%s) that must go on waiting',
    async (tier) => {
      await enters('a 0', { tier });
      for (let request = 1; request <= 50; request++) await enters(`a ${request}`, { tier });
      await enters('b 0');
      choices = 0;
      rooms.get(ORG)?.lookAgain();
      expect(choices).toBe(2);
      // One gets the place, and the next one is looked at.
      await leaves('a 0');
      expect([choices, served.at(-1)]).toEqual([2 + 3, 'a 1']);
    },
  );

  it.each([
    [
      'once for three requests that were tried at the same workers',
      [
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'b'],
      ],
      1,
    ],
    ['on each of three requests that were tried at different workers', [['a'], ['b'], ['a', 'b']], 3],
  ])('decides %s', async (_, tried, expected) => {
    await enters('a 0');
    for (const [place, workers] of tried.entries()) await enters(`a ${place + 1}`, { triedWorkers: new Set(workers) });
    choices = 0;
    rooms.get(ORG)?.lookAgain();
    expect(choices).toBe(expected);
    for (let place = 0; place <= tried.length; place++) await leaves(`a ${place}`);
    expect(served).toEqual(['a 0', 'a 1', 'a 2', 'a 3']);
  });
});
