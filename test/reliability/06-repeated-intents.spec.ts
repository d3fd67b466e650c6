import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { Racers } from '../support/racers';
import { seeded } from '../support/random';

const CALLERS = inForm(100, 500);
const ROUNDS = inForm(1, 30);
const ASKS = [
  { desired_state: 'Suspended' },
  { desired_state: 'Active' },
  { desired_state: 'Active', desired_replicas: 2 },
];

describe(`${CALLERS} callers over two processes`, () => {
  let racers: Racers;

  beforeAll(async () => {
    racers = await Racers.start(CALLERS);
  });
  afterAll(async () => {
    await racers.close();
    printFigures();
  });
  beforeEach(() => racers.newProfile());

  it('leaves one intent, one generation and one event of many equal requests', async () => {
    const answers = await racers.all((caller) =>
      racers.send(caller, 'POST', racers.of('state'), { desired_state: 'Active' }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(202));
    expect(new Set(answers.map(({ body }) => `${String(body.id)} ${String(body.generation)}`)).size).toBe(1);
    expect(await racers.rows('capacity_intents', 'generation::int, status')).toEqual([
      { generation: 1, status: 'Pending' },
    ]);
    expect(await racers.events('capacity_intent.requested')).toBe(1);
  });

  it('leaves a row for each of many different requests, one of them pending', async () => {
    const random = seeded(SEED);
    let tooMany = 0;
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) await racers.newProfile();
      tooMany += Math.abs((await mixedRound(random)) - ASKS.length);
    }
    const attack = `${ROUNDS} rounds of ${CALLERS} callers with ${ASKS.length} different requests, seed ${SEED}`;
    recordFigure({
      row: 6,
      attack,
      measure: 'rows too many or too few',
      value: tooMany,
      unit: '',
      bound: { atMost: 0 },
    });
  });

  /** @returns the number of intents that are stored */
  async function mixedRound(random: () => number): Promise<number> {
    const chosen = Array.from({ length: CALLERS }, () => ASKS[Math.floor(random() * ASKS.length)] ?? {});
    const answers = await racers.all((caller) => racers.send(caller, 'POST', racers.of('state'), chosen[caller]));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(202));
    const intents = await racers.rows<{ status: string; generation: number; requested_at: Date }>(
      'capacity_intents',
      'status, generation::int, requested_at',
    );
    intents.sort((a, b) => a.generation - b.generation);
    expect(intents.map(({ status }) => status)).toEqual(['Superseded', 'Superseded', 'Pending']);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(ASKS.length);
    // The last wanted state was requested last; each generation is a request that changed the wanted state.
    const times = intents.map(({ requested_at: at }) => at.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const steps = intents.at(-1)?.generation ?? 0;
    expect(new Set(answers.map(({ body }) => body.generation)).size).toBe(steps);
    expect([
      await racers.events('capacity_intent.requested'),
      await racers.events('capacity_intent.superseded'),
    ]).toEqual([steps, steps - 1]);
    return intents.length;
  }

  it('closes one start if many report readiness', async () => {
    const report = (caller: number, phase: string, ready: boolean) =>
      racers.send(caller, 'POST', '/v1/inference/activations/report', {
        profile_id: racers.profile.profile_id,
        desired_state: 'Active',
        phase,
        ready,
        observed_generation: 1,
      });
    await racers.send(0, 'POST', racers.of('state'), { desired_state: 'Active' });
    await report(0, 'Loading', false);
    const answers = await racers.all((caller) => report(caller, 'Ready', true));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(204));
    expect(await racers.rows('starts', 'ready_at is not null as ready, ended_at is null as open')).toEqual([
      { ready: true, open: true },
    ]);
    expect(await racers.rows('capacity_intents', 'status')).toEqual([{ status: 'Fulfilled' }]);
    expect(await racers.events('capacity_intent.fulfilled')).toBe(1);
    expect(await racers.rows('activation_phases', 'phase')).toHaveLength(2);
  });

  it('leaves consecutive starts after any reports', async () => {
    const random = seeded(SEED);
    const phases = ['Pending', 'Loading', 'Ready', 'Suspended', 'Failed'];
    const chosen = Array.from({ length: CALLERS }, () => phases[Math.floor(random() * phases.length)] ?? 'Ready');
    const answers = await racers.all((caller) =>
      racers.send(caller, 'POST', '/v1/inference/activations/report', {
        profile_id: racers.profile.profile_id,
        desired_state: 'Active',
        phase: chosen[caller] ?? 'Ready',
        ready: chosen[caller] === 'Ready',
      }),
    );
    // A report that met too many others is answered with 503 and repeated.
    expect(answers.filter(({ status }) => status !== 204 && status !== 503)).toEqual([]);
    const { rows: faults } = await racers.replicas.db.query(
      `select id from (
         select id, began_at, ready_at, ended_at, lead(began_at) over (order by began_at, ended_at nulls last) as next_at
         from starts where profile_id = $1
       ) s where ended_at < began_at or ready_at < began_at or ended_at > next_at or (ended_at is null and next_at is not null)`,
      [racers.profile.profile_id],
    );
    recordFigure({
      row: 6,
      attack: `${CALLERS} callers report phases at once, seed ${SEED}`,
      measure: 'starts that overlap, or end before they begin',
      value: faults.length,
      unit: '',
      bound: { atMost: 0 },
    });
    const { rows: current } = await racers.replicas.db.query(
      'select a.start_id, s.id from activations a left join starts s on s.profile_id = a.profile_id and s.ended_at is null where a.profile_id = $1',
      [racers.profile.profile_id],
    );
    expect(current).toHaveLength(1);
    expect(current[0].start_id).toBe(current[0].id);
  });
});
