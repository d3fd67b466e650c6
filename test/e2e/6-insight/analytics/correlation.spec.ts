import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import { ARTIFACTS, fieldsOf, profileFor, registered, type ProfileOf } from '../../../support/artifacts';
import { reportPhase, setState } from '../../../support/profiles';
import {
  ask,
  asked,
  clusterOf,
  databaseNow,
  experimentOf,
  expectUnauthenticated,
  observed,
  startWorker,
  type Experiment,
  type Query,
} from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { DAY, HOUR } from '../../../support/durations';

const PATH = 'correlation';

describe('GET /v1/inference/correlation', () => {
  let service: Service;
  let org: Organisation;
  let profile: ProfileOf;
  let other: ProfileOf;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    profile = await profileFor(org);
    other = await profileFor(org);
  });
  afterAll(() => service.close());

  const ran = (experiment: Experiment) => experimentOf(service, org, experiment);
  const correlation = (experiment_id: string, of = org) => asked(of.viewer, PATH, { experiment_id });
  const write = (at: number, ...requests: Partial<Request>[]) =>
    writeRequests(service.db, org, ...requests.map((members) => buildRequest(at, members)));

  /**
   * A time between what was done before and what is done after: times are kept to the millisecond, rounded.
   */
  async function moment(): Promise<number> {
    await sleep(5);
    const now = await databaseNow(service);
    await sleep(5);
    return now;
  }

  const nothing = (experiment_id: string) => ({
    experiment_id,
    name: 'evening peak',
    scenario: '50 clients',
    status: 'completed',
    usage: { requests: 0, fallbacks: 0, successful_requests: 0, cold_start_avoided_ms: 0 },
    intents: [],
    activations: [],
    observations: [],
    policy_decisions: [],
    artifacts: [],
  });

  it('is empty for an experiment without activity', async () => {
    const now = await databaseNow(service);
    const over = await ran({ since: now - 2 * DAY, until: now - DAY });
    expect(await correlation(over)).toEqual(nothing(over));
    const running = await ran({ since: now - 2 * DAY, profileId: profile.profile_id });
    expect(await correlation(running)).toEqual({ ...nothing(running), status: 'running' });
    const never = await ran({ since: now - DAY, until: now - DAY });
    expect(await correlation(never)).toEqual(nothing(never));
  });

  describe('by its id', () => {
    it('has its requests, at any time and of any target', async () => {
      const now = await databaseNow(service);
      const id = await ran({ since: now - 3 * HOUR, until: now - 2 * HOUR, profileId: profile.profile_id });
      const mine = { experiment_id: id };
      await write(
        now - 9 * DAY,
        { ...mine, status_code: 200, cold_start_avoided_ms: 40_000, fallback_used: true, decision_source: 'fallback' },
        { ...mine, status_code: 299, cold_start_avoided_ms: 2, decision_source: 'priority' },
      );
      await write(
        now - 2.5 * HOUR,
        { ...mine, status_code: 300, profile_id: profile.profile_id, decision_source: 'priority' },
        { ...mine, status_code: 503, profile_id: other.profile_id, fallback_used: true },
        { ...mine, status_code: 199, decision_source: 'a word of a router' },
        // Without a result.
        { ...mine, decision_source: 'priority' },
        // Recorded together.
        { ...mine, status_code: 429, repeated: 298 },
        { status_code: 200, profile_id: profile.profile_id, decision_source: 'classifier' },
        { experiment_id: newId(), status_code: 200, cold_start_avoided_ms: 1_000_000 },
      );
      expect(await correlation(id)).toEqual({
        ...nothing(id),
        usage: { requests: 6 + 299, fallbacks: 2, successful_requests: 2 + 1, cold_start_avoided_ms: 40_000 + 2 },
        policy_decisions: [
          { name: 'a word of a router', count: 1 },
          { name: 'fallback', count: 1 },
          { name: 'priority', count: 3 },
          { name: 'unknown', count: 1 + 299 },
        ],
      });
    });

    it('has its observations, at any time', async () => {
      const now = await databaseNow(service);
      const id = await ran({ since: now - 2 * HOUR, until: now - HOUR, profileId: profile.profile_id });
      const at = (ms: number) => ({ started_at: new Date(ms).toISOString() });
      await observed(org, { ...at(now - 9 * DAY), experiment_id: id, event_type: 'restore' });
      await observed(org, { ...at(now - 1.5 * HOUR), experiment_id: id, event_type: 'restore' });
      await observed(org, {
        ...at(now),
        experiment_id: id,
        event_type: 'checkpoint',
        profile_id: other.profile_id,
      });
      await observed(org, { ...at(now - 1.5 * HOUR), profile_id: profile.profile_id });
      await observed(org, { ...at(now - 1.5 * HOUR), experiment_id: newId() });
      expect(await correlation(id)).toEqual({
        ...nothing(id),
        observations: [
          { name: 'checkpoint', count: 1 },
          { name: 'restore', count: 2 },
        ],
      });
    });

    it('has every digit of its sum', async () => {
      const now = await databaseNow(service);
      const id = await ran({ since: now - HOUR });
      const most = Number.MAX_SAFE_INTEGER;
      const one = { experiment_id: id, cold_start_avoided_ms: most };
      await write(now, one, one, one);
      const { text } = await ask(org.viewer, PATH, { experiment_id: id });
      expect(text).toMatch(new RegExp(`"cold_start_avoided_ms":${(BigInt(most) * 3n).toString()}[,}]`));
    });

    it('counts the 500 most frequent names of a kind', async () => {
      const now = await databaseNow(service);
      const id = await ran({ since: now - HOUR });
      const name = (place: number) => `source-${String(place).padStart(3, '0')}`;
      const names = Array.from({ length: 502 }, (_, place) => name(place));
      // The last two have the highest counts.
      const requests = [...names, name(500), name(501)].map((decision_source) => ({
        decision_source,
        experiment_id: id,
      }));
      await write(now, ...requests);
      const { usage, policy_decisions: decisions } = await correlation(id);
      expect(usage).toMatchObject({ requests: 504 });
      expect(decisions).toEqual([
        ...names.slice(0, 498).map((one) => ({ name: one, count: 1 })),
        { name: name(500), count: 2 },
        { name: name(501), count: 2 },
      ]);
    });
  });

  describe('by its time and its profile', () => {
    const wanted = async ({ profile_id: id }: ProfileOf, desired_state: string, desired_replicas?: number) =>
      expect(
        (await setState(org.operator, id, { desired_state, ...(desired_replicas === undefined ? {} : { desired_replicas }) }))
          .status,
      ).toBe(202); // prettier-ignore
    const phases = async ({ profile_id: id }: ProfileOf, ...names: string[]) => {
      for (const name of names) expect((await reportPhase(org.controller, id, name)).status).toBe(204);
    };

    it('counts capacity requests of the profile, by status', async () => {
      await wanted(profile, 'Active');
      const since = await moment();
      await wanted(profile, 'Suspended');
      await wanted(profile, 'Active', 2);
      await wanted(profile, 'Active', 3);
      await wanted(other, 'Active');
      const until = await moment();
      await wanted(profile, 'Suspended');
      const { intents } = await correlation(await ran({ since, until, profileId: profile.profile_id }));
      expect(intents).toEqual([
        { name: 'Active', count: 2 },
        { name: 'Suspended', count: 1 },
      ]);
      // Of all profiles if it has none; until now if it still runs.
      expect((await correlation(await ran({ since, until }))).intents).toEqual([
        { name: 'Active', count: 2 + 1 },
        { name: 'Suspended', count: 1 },
      ]);
      expect((await correlation(await ran({ since, profileId: profile.profile_id }))).intents).toEqual([
        { name: 'Active', count: 2 },
        { name: 'Suspended', count: 1 + 1 },
      ]);
    });

    it('counts a repeated capacity request once', async () => {
      const since = await moment();
      await wanted(profile, 'Active');
      await wanted(profile, 'Active');
      expect((await correlation(await ran({ since }))).intents).toEqual([{ name: 'Active', count: 1 }]);
    });

    it('counts the phases that its profile entered', async () => {
      await phases(profile, 'Pending');
      const since = await moment();
      await phases(profile, 'Loading', 'Ready', 'Draining', 'Ready');
      await phases(other, 'Pending', 'Loading');
      const until = await moment();
      await phases(profile, 'Suspended');
      const { activations } = await correlation(await ran({ since, until, profileId: profile.profile_id }));
      expect(activations).toEqual([
        { name: 'Draining', count: 1 },
        { name: 'Loading', count: 1 },
        { name: 'Ready', count: 2 },
      ]);
      expect((await correlation(await ran({ since, until }))).activations).toEqual([
        { name: 'Draining', count: 1 },
        { name: 'Loading', count: 2 },
        { name: 'Pending', count: 1 },
        { name: 'Ready', count: 2 },
      ]);
    });

    it('has the artifacts that were made in it, or that a worker restored from in it, once each', async () => {
      const clusterId = await clusterOf(org);
      const make = (artifact_id: string, of = profile, members = {}) =>
        registered(org, of, { artifact_id, checkpoint_mode: 'criu', ...members });
      await make('made before');
      await make('started from', profile, { checkpoint_mode: 'container' });
      await make('started from before');
      const before = await databaseNow(service);
      const start = (artifactId: string, readyAt: number, { profile_id: id } = profile) =>
        startWorker(org, clusterId, id, { readyAt, tookMs: 1, artifactId });
      await start('started from before', before);
      const since = await moment();
      await make('b made');
      await make('a made and started from');
      await make('of another', other);
      const within = await databaseNow(service);
      for (const id of ['started from', 'started from', 'a made and started from']) await start(id, within);
      await start('of another', within, other);
      const until = await moment();
      await make('made after');
      await start('made before', await databaseNow(service));
      const view = (artifact_id: string, checkpoint_mode = 'criu', status = 'ready') => ({
        artifact_id,
        checkpoint_mode,
        status,
      });
      const id = await ran({ since, until, profileId: profile.profile_id });
      // In the order in which they were made.
      expect((await correlation(id)).artifacts).toEqual([
        view('started from', 'container'),
        view('b made'),
        view('a made and started from'),
      ]);
      expect((await correlation(await ran({ since, until }))).artifacts).toEqual([
        view('started from', 'container'),
        view('b made'),
        view('a made and started from'),
        view('of another'),
      ]);
      await org.operator.delete(`${ARTIFACTS}/b made`);
      await org.operator.patch(`${ARTIFACTS}/started from`, { status: 'golden' });
      expect((await correlation(id)).artifacts).toEqual([
        view('started from', 'container', 'golden'),
        view('b made', 'criu', 'deleted'),
        view('a made and started from'),
      ]);
    });

    it('includes its first millisecond, and excludes that of its end', async () => {
      const id = await registered(org, profile);
      const { rows } = await service.db.query<{ at: Date }>(
        'select created_at as at from artifacts where org_id = $1 and artifact_id = $2',
        [org.id, id],
      );
      const at = rows[0]?.at.getTime() ?? NaN;
      for (const [since, until, count] of [
        [at, at + 1, 1],
        [at - 1, at + 1, 1],
        [at - 1, at, 0],
        [at + 1, at + 2, 0],
        [at, at, 0],
      ] as const)
        expect([since - at, until - at, (await correlation(await ran({ since, until }))).artifacts.length]).toEqual([
          since - at,
          until - at,
          count,
        ]);
    });

    it('names 1,000 artifacts, oldest first', async () => {
      const since = await moment();
      const first = await registered(org, profile);
      await service.db.query(
        `insert into artifacts select (jsonb_populate_record(a, jsonb_build_object(
           'artifact_id', 'copy-' || lpad(n::text, 4, '0'), 'created_at', a.created_at + n * interval '1 millisecond'))).*
         from artifacts a cross join generate_series(1, 1001) n where a.org_id = $1 and a.artifact_id = $2`,
        [org.id, first],
      );
      const { artifacts } = await correlation(await ran({ since }));
      const names = (artifacts as { artifact_id: string }[]).map(({ artifact_id: id }) => id);
      expect(names).toHaveLength(1_000);
      expect([names[0], names[1], names.at(-1)]).toEqual([first, 'copy-0001', 'copy-0999']);
    });
  });

  it('answers 404 for an unknown experiment, and for one of another organisation', async () => {
    const now = await databaseNow(service);
    const id = await ran({ since: now - DAY });
    expect((await ask(org.viewer, PATH, { experiment_id: id })).status).toBe(200);
    const stranger = await service.organisation();
    for (const [of, unknown] of [
      [org, newId()],
      [stranger, id],
    ] as const) {
      const answer = await ask(of.viewer, PATH, { experiment_id: unknown });
      expect([answer.status, answer.body.code]).toEqual([404, 'experiment_not_found']);
    }
  });

  it('shows nothing of another organisation, whatever has the same name', async () => {
    const now = await databaseNow(service);
    const stranger = await service.organisation();
    const id = await ran({ since: now - DAY });
    const theirs = await profileFor(stranger);
    await registered(stranger, theirs);
    await observed(stranger, { experiment_id: id });
    await setState(stranger.operator, theirs.profile_id, { desired_state: 'Active' });
    await reportPhase(stranger.controller, theirs.profile_id, 'Pending');
    await writeRequests(service.db, stranger, buildRequest(now, { experiment_id: id }));
    expect(await correlation(id)).toEqual({ ...nothing(id), status: 'running' });
  });

  it.each([{}, { experiment_id: '' }, { experiment_id: 'abc' }] as Query[])('refuses %j', async (query) => {
    const answer = await ask(org.viewer, PATH, query);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['experiment_id']]);
  });

  it('needs a token', () => expectUnauthenticated(service, PATH, { experiment_id: newId() }));
});
