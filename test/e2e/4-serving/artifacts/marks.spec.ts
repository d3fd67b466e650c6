import {
  ARTIFACTS,
  artifactOf,
  profileFor,
  registered,
  publishedIds,
  type ProfileOf,
} from '../../../support/artifacts';
import { Service, type Answer, type Caller, type Organisation } from '../../../support/service';

describe('PATCH /v1/inference/artifacts/{artifact_id} by role', () => {
  let service: Service;
  let org: Organisation;
  let profile: ProfileOf;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    profile = await profileFor(org);
  });
  afterAll(() => service.close());

  const set = (caller: Caller, id: string, body: object): Promise<Answer> => caller.patch(`${ARTIFACTS}/${id}`, body);
  const outcome = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    return [status, status === 200 ? body.status : body.code];
  };
  const by = (caller: Caller, id: string, status: string) => outcome(set(caller, id, { status }));

  it('lets operators set golden and quarantined, and take them back', async () => {
    const id = await registered(org, profile);
    for (const status of ['golden', 'ready', 'quarantined', 'ready', 'quarantined', 'golden', 'ready'])
      expect(await by(org.operator, id, status)).toEqual([200, status]);
  });

  it('answers 403 for changes that the role may not make, and changes nothing', async () => {
    const id = await registered(org, profile);
    const before = await artifactOf(org, id);
    const refused: [Caller, object][] = [
      [org.operator, { status: 'expired' }],
      [org.operator, { promotion: 'confirmed' }],
      [org.operator, { status: 'golden', promotion: 'failed' }],
      [org.controller, { status: 'golden' }],
      [org.controller, { status: 'quarantined' }],
      [org.viewer, { status: 'golden' }],
    ];
    for (const [caller, body] of refused) expect(await outcome(set(caller, id, body))).toEqual([403, 'forbidden']);
    expect(await artifactOf(org, id)).toEqual(before);
  });

  it('lets controllers report on the bytes, and keeps what operators set', async () => {
    const id = await registered(org, profile);
    for (const mark of ['golden', 'quarantined']) {
      await set(org.operator, id, { status: mark });
      expect(await by(org.controller, id, 'ready')).toEqual([200, mark]);
    }
  });

  it.each(['golden', 'quarantined'])(
    'restores the status of a %s artifact whose bytes expired and came back',
    async (mark) => {
      const id = await registered(org, profile);
      await set(org.operator, id, { status: mark });
      expect(await by(org.controller, id, 'expired')).toEqual([200, 'expired']);
      expect(await by(org.controller, id, 'expired')).toEqual([200, 'expired']);
      expect(await publishedIds(org, 'artifact.expired')).toContain(id);
      for (const status of ['ready', 'golden', 'quarantined'])
        expect(await by(org.operator, id, status)).toEqual([409, 'artifact_expired']);
      expect(await by(org.controller, id, 'ready')).toEqual([200, mark]);
      // Only an operator takes the mark back.
      expect(await by(org.operator, id, 'ready')).toEqual([200, 'ready']);
      expect(await by(org.controller, id, 'expired')).toEqual([200, 'expired']);
      expect(await by(org.controller, id, 'ready')).toEqual([200, 'ready']);
    },
  );

  it('keeps a quarantine that an operator sets while a controller reports the bytes again and again', async () => {
    const id = await registered(org, profile);
    const reports = Array.from({ length: 12 }, (_, i) => by(org.controller, id, i % 2 ? 'ready' : 'expired'));
    for (;;) {
      const [status] = await by(org.operator, id, 'quarantined');
      if (status === 200) break;
      // Its bytes are gone for the moment.
      expect(status).toBe(409);
      await by(org.controller, id, 'ready');
    }
    await Promise.all(reports);
    expect(await by(org.controller, id, 'ready')).toEqual([200, 'quarantined']);
  });

  it('lets admins make all changes', async () => {
    const id = await registered(org, profile);
    for (const status of ['golden', 'expired', 'quarantined', 'ready', 'expired', 'ready'])
      expect(await by(org.admin, id, status)).toEqual([200, status]);
  });
});
