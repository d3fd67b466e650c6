import { setTimeout as sleep } from 'node:timers/promises';
import { Autoscaler } from '../../../src/5-traffic/autoscaling/autoscaler.service';
import { openAi } from '../../support/chat';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { inForm } from '../../support/form';
import { seeded } from '../../support/random';
import { ServedProfile, Stand, WITHIN_MS } from './served-profile';

const ROUNDS = inForm(4, 20);
const CLIENTS = 4;
/** In this share of the rounds, the profile is suspended again while it wakes. */
const INTERRUPTED = 0.4;
const COLD_STARTS = inForm(1, 3);
/** A cold start computes for seconds. The tables are small, so that restores read little. */
const ENGINE = { megabytes: 2, hashes: 150, tokenMs: 8 };

describeWith(['CRIU'], 'A profile that sleeps and wakes while clients chat with it', () => {
  let stand: Stand;
  let profile: ServedProfile;

  beforeAll(async () => {
    stand = await Stand.open();
    stand.serving();
    stand.service.app.get(Autoscaler).start();
    // Nothing says that it is not scaled.
    profile = await new ServedProfile(stand.org, ENGINE).create({}, { autoscale: undefined });
  });
  afterAll(() => stand.close());

  const sleeps = async () => {
    await profile.want('Suspended');
    await profile.suspended();
  };
  const startsCold = async () => {
    for (const { artifact_id: id } of await profile.artifacts('ready'))
      expect((await stand.org.operator.delete(`/v1/inference/artifacts/${id}`)).status).toBe(200);
    await profile.want('Active');
    expect(await profile.ready()).toMatchObject([{ start_kind: 'cold' }]);
  };

  it(`fails no chat in ${ROUNDS} rounds, and is restored in each of them`, async () => {
    for (let start = 0; start < COLD_STARTS; start++) {
      await startsCold();
      await sleeps();
    }

    const served: string[] = [];
    const restored = () => served.filter((kind) => kind === 'restored').length;
    const failed: unknown[] = [];
    let isOver = false;
    const openai = openAi(stand.service, stand.org.operator.token!);
    const client = async (number: number) => {
      const random = seeded(number);
      for (let chat = 0; !isOver; chat++) {
        await sleep(150 * random());
        const text = `Client ${number} asks for the ${chat}th time.`;
        try {
          served.push(
            random() < 0.5 ? await profile.stream(openai, text) : (await profile.chat(text)).headers['x-start-kind']!,
          );
        } catch (error) {
          failed.push(error);
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));

    const random = seeded(CLIENTS);
    const known = new Set<string>();
    /** Until a worker serves that is new in this round. */
    const wakes = () =>
      profile.when(({ workers = [] }) => {
        const serving = workers.filter(({ workload_uid: uid, ready }) => ready && !known.has(uid));
        expect(serving).toMatchObject([{ start_kind: 'restore' }]);
        for (const { workload_uid: uid } of serving) known.add(uid);
      });
    try {
      await wakes();
      for (let round = 0; round < ROUNDS; round++) {
        const before = restored();
        await sleep(250 * random());
        await profile.want('Suspended');
        if (random() < INTERRUPTED) {
          await profile.requested('Active');
          await sleep(400 * random());
          await profile.want('Suspended');
        }
        await wakes();
        await eventually(() => expect(restored()).toBeGreaterThan(before), WITHIN_MS);
      }
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    expect(failed).toEqual([]);
    expect([...new Set(served)].sort()).toEqual(['restored', 'warm']);
    await sleeps();
  });

  it('is ready at least five times as fast as after a cold start, by the figures of the service', async () => {
    const { body } = await stand.org.viewer.get('/v1/inference/startup-comparison');
    const [{ cold, restored, speedup }] = body as [{ cold: Sample; restored: Sample; speedup: number }];
    expect(cold.samples).toBe(COLD_STARTS);
    expect(restored.samples).toBeGreaterThanOrEqual(ROUNDS);
    expect(speedup).toBeGreaterThanOrEqual(5);
  });
});

interface Sample {
  readonly samples: number;
}
