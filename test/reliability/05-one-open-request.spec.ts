import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { printFigures, recordFigure } from '../support/figures';
import { inForm } from '../support/form';
import { buildArtifact } from '../support/profiles';
import { Racers } from '../support/racers';

const CALLERS = inForm(100, 500);
const ROUNDS = inForm(4, 100);

describe(`${CALLERS} callers over two processes`, () => {
  let racers: Racers;

  beforeAll(async () => {
    racers = await Racers.start(CALLERS);
    await racers.newProfile();
  });
  afterAll(async () => {
    await racers.close();
    printFigures();
  });

  it('gives the open request to all who request a checkpoint or a restart, while attempts end', async () => {
    await racers.send(0, 'POST', '/v1/inference/artifacts', buildArtifact(racers.profile, `artifact-${newId()}`));
    let attempts = 0;
    let several = 0;
    let empty = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const open = async () =>
        (await racers.rows<{ request_id: string; status: string }>('checkpoint_requests', 'request_id, status')).filter(
          ({ status }) => status === 'pending' || status === 'running',
        );
      // In every other round, the open attempt ends in the middle of the requests.
      const [before] = await open();
      const ending =
        before && round % 2 === 1
          ? sleep(5 * (round % 15)).then(() =>
              racers.send(round, 'PATCH', racers.of('checkpoint'), { request_id: before.request_id, status: 'failed' }),
            )
          : undefined;
      const answers = await racers.all((caller) =>
        racers.send(caller, 'POST', racers.of(caller % 3 ? 'checkpoint' : 'restart')),
      );
      expect((await ending)?.status ?? 200).toBe(200);
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(202));
      const requested = new Set(answers.map(({ body }) => body.request_id));
      empty += answers.filter(({ body }) => body.request_id === undefined).length;
      // The open one, and the next if that one ended.
      if (requested.size > (ending ? 2 : 1)) several++;
      if ((await open()).length > 1) several++;
      attempts = (await racers.rows('checkpoint_requests', 'request_id')).length;
    }
    expect(attempts).toBeGreaterThan(ROUNDS / 4);
    expect(await racers.events('checkpoint_request.created')).toBe(attempts);
    const attack = `${ROUNDS} rounds of ${CALLERS} callers, attempts end in every other one`;
    recordFigure({ row: 5, attack, measure: 'rounds', value: ROUNDS, unit: '', bound: { atLeast: inForm(1, 100) } });
    recordFigure({
      row: 5,
      attack,
      measure: 'rounds with more than one open request',
      value: several,
      unit: '',
      bound: { atMost: 0 },
    });
    recordFigure({
      row: 5,
      attack,
      measure: 'replies without a request',
      value: empty,
      unit: '',
      bound: { atMost: 0 },
    });
  });
});
