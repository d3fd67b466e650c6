import { artifactAccounts, lastWorker, reportsOf } from '../../../support/fleet/accounts';
import { eventually } from '../../../support/eventually';
import { Fleet } from '../../../support/fleet/fleet';
import type { FleetSettings } from '../../../support/fleet/options';
import { Service, type Organisation } from '../../../support/service';

interface Artifact {
  artifact_id: string;
  observed_restores: number;
  observed_restore_attempts: number;
  residency: { state: string; reason: string };
}
interface Intent {
  id: string;
  profile_id: string;
  desired_state: string;
  desired_replicas: number;
  status: string;
  generation: number;
  deadline: string | null;
}
interface Activation {
  profile_id: string;
  phase: string;
  ready: boolean;
  observed_generation: number;
}
interface OutboxEvent {
  id: number;
  event_type: string;
  aggregate_id: string;
  payload: { profile_id: string; generation: number };
}

/** As fast as two shared processors allow. */
const SPEED = 150;

describe('a simulated fleet', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({}, { sweeping: true });
  });
  afterAll(() => service.close());

  const fleetOf = ({ operator, controller }: Organisation, more: Partial<FleetSettings> = {}): Fleet =>
    new Fleet({
      url: service.url,
      operatorToken: operator.token ?? '',
      controllerToken: controller.token ?? '',
      seed: 7,
      speed: SPEED,
      slowsDown: true,
      ...more,
    });

  describe('that has come to rest', () => {
    let org: Organisation;
    let fleet: Fleet;
    beforeAll(async () => {
      org = await service.organisation();
      fleet = fleetOf(org);
      await fleet.run({ seconds: 4 });
      await eventually(() => expect(notDone(fleet)).toEqual([]), 120_000);
      await fleet.settle();
    });
    afterAll(() => fleet.stop());

    const list = async <Row>(path: string): Promise<Row[]> => (await org.viewer.get(path)).body as Row[];
    const profiles = () => fleet.profiles.map(({ id }) => id);

    it('received no unexpected reply', () => {
      expect(fleet.faults).toEqual([]);
    });

    it('finds every artifact it registered, with the starts from it counted', async () => {
      const artifacts = await list<Artifact>('/v1/inference/artifacts?limit=1000');
      const counted = artifacts.map(({ artifact_id: id, observed_restore_attempts, observed_restores }) => [
        id,
        { attempts: observed_restore_attempts, restores: observed_restores },
      ]);
      expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(artifactAccounts(fleet.journal)));
    });

    it('agrees with the service on what is restorable', async () => {
      const artifacts = await list<Artifact>('/v1/inference/artifacts?limit=1000');
      const differing = artifacts.filter(
        ({ artifact_id: id, residency }) => (residency.state === 'restorable') !== fleet.isRestorable(id),
      );
      expect(differing).toEqual([]);
    });

    it('left every intent in a status that its reports explain', async () => {
      await eventually(async () => {
        const intents = await list<Intent>('/v1/inference/capacity-intents');
        expect(intents.map(({ profile_id: id }) => id).sort()).toEqual(profiles().sort());
        expect(intents.filter((intent) => !isExplained(fleet, intent))).toEqual([]);
      });
    });

    it('is known as it last reported itself', async () => {
      await eventually(async () => {
        const activations = await list<Activation>('/v1/inference/activations');
        const known = activations.map(({ profile_id, phase, ready, observed_generation: generation }) => [
          profile_id,
          { phase, ready, generation },
        ]);
        const reported = profiles().map((id) => [id, reportsOf(fleet.journal, id).at(-1)]);
        expect(Object.fromEntries(known)).toEqual(Object.fromEntries(reported));
      });
      for (const id of profiles()) {
        expect([id, fleet.serves(id)]).toEqual([id, reportsOf(fleet.journal, id).at(-1)?.ready]);
      }
    });

    it('saw every request once, and its end once', async () => {
      const events = await list<OutboxEvent>('/v1/inference/outbox?consumer_id=onlooker&after=0&limit=1000');
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      const ofIntents = events.filter(({ event_type: type }) => type.startsWith('capacity_intent.'));
      const key = ({ aggregate_id: id, payload }: OutboxEvent) => `${id} ${payload.generation}`;
      const asked = ofIntents.filter(({ event_type: type }) => type === 'capacity_intent.requested').map(key);
      const ended = ofIntents.filter(({ event_type: type }) => type !== 'capacity_intent.requested').map(key);
      expect(new Set(asked).size).toBe(asked.length);
      expect(ended.sort()).toEqual(asked.sort());
      const received = fleet.journal.all('received').map(({ id }) => id);
      expect(received).toEqual(events.map(({ id }) => id));
    });

    it('had at most one open checkpoint request per profile', async () => {
      const attempts = [...fleet.journal.all('attempt succeeded'), ...fleet.journal.all('attempt failed')];
      const ended = attempts.map(({ request }) => request);
      expect(new Set(ended).size).toBe(ended.length);
      const requested = new Set(fleet.journal.all('requested').map(({ request }) => request));
      expect(new Set(ended)).toEqual(requested);
      const open = await service.db.query(
        "select profile_id from checkpoint_requests where org_id = $1 and status in ('pending', 'running')",
        [org.id],
      );
      expect(open.rows).toEqual([]);
    });

    it('sees the history of each last worker in the progress of its profile', async () => {
      for (const id of profiles()) {
        const { steps } = (await org.viewer.get(`/v1/inference/profiles/${id}/progress`)).body as {
          steps: { kind: string }[];
        };
        const shown = new Set(steps.map(({ kind }) => kind));
        const worker = lastWorker(fleet.journal, id);
        const went = [...(worker?.kinds ?? []), ...(worker?.phases ?? []).map((phase) => `phase.${phase}`)];
        expect([id, went.filter((kind) => !shown.has(kind))]).toEqual([id, []]);
      }
    });
  });

  it('takes the same decisions with the same seed, and others with another seed', async () => {
    const operators = 'operators of chat-1';
    // Two nodes, and for each of three profiles its operators and the starts of its workers. Checkpoints and
    // promotions are decided by more actors, as soon as the service asks for one: sooner on a slow machine.
    const actors = 8;
    const certain = (decisions: Map<string, unknown>) =>
      [...decisions.keys()].filter((actor) => !/^(checkpoints|promotions) of /.test(actor));
    const lived = async (seed: number) => {
      const fleet = fleetOf(await service.organisation(), { seed, checkpointed: 2, dedicated: 1, nodes: 2 });
      await fleet.run({ seconds: 2 });
      const { journal } = fleet;
      await eventually(() => expect(certain(journal.decisions())).toHaveLength(actors));
      await eventually(() => expect(journal.decisions().get(operators)!.length).toBeGreaterThan(2));
      await fleet.stop();
      expect(fleet.faults).toEqual([]);
      return journal.decisions();
    };
    const [first, second, other] = await Promise.all([lived(11), lived(11), lived(12)]);
    expect(certain(second).toSorted()).toEqual(certain(first).toSorted());
    for (const [actor, decisions] of first) {
      const same = second.get(actor) ?? [];
      const both = Math.min(decisions.length, same.length);
      expect([actor, decisions.slice(0, both)]).toEqual([actor, same.slice(0, both)]);
    }
    expect(first.get(operators)?.slice(0, 2)).not.toEqual(other.get(operators)?.slice(0, 2));
  });
});

/** What makes a run worth checking, and has not happened yet. */
function notDone({ journal }: Fleet): string[] {
  const counts = {
    serves: journal.all('serves').length,
    suspended: journal.all('reported', { phase: 'Suspended' }).length,
    failed: journal.all('sent', { kind: 'worker.failed' }).length,
    checkpointed: journal.all('registered').length,
    incremental: journal.all('registered').filter(({ parent }) => parent !== null).length,
    restored: journal.all('sent', { kind: 'restore.completed' }).length,
    rebooted: journal.all('rebooted').length,
  };
  return Object.keys(counts).filter((name) => counts[name as keyof typeof counts] === 0);
}

/** Whether the fleet's reports on a profile agree with the intent. */
function isExplained(fleet: Fleet, intent: Intent): boolean {
  const seen = reportsOf(fleet.journal, intent.profile_id).filter(({ generation }) => generation >= intent.generation);
  const running = intent.desired_state === 'Active' && intent.desired_replicas > 0;
  switch (intent.status) {
    case 'Fulfilled':
      return seen.some(({ phase, ready }) => (running ? ready : phase === 'Suspended'));
    case 'Failed':
      return running && seen.some(({ phase }) => phase === 'Failed');
    case 'Expired':
      return intent.deadline !== null;
    default:
      return false;
  }
}
