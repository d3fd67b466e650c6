import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { RoutingTables } from './routing-tables.service';
import { WaitingRooms } from './waiting-requests';

const ORG = 'org';

describe('routes that a routing table lacks', () => {
  /** Generations of the routes that are saved. */
  let saved: Map<string, number>;
  /** Of each route. */
  let targets: { readonly profile_id: string }[];
  /** Called when the profiles were read. */
  let afterRead: () => void;
  /** Statements that were sent, by their names. */
  let sent: string[];
  let tables: RoutingTables;
  /** Beyond the time that really passes. */
  let passedMs: number;

  beforeEach(async () => {
    saved = new Map([['known', 1]]);
    targets = [];
    afterRead = () => undefined;
    sent = [];
    passedMs = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    const rows = ({ logical_models: asked }: { readonly logical_models?: readonly string[] }) =>
      [...saved]
        .filter(([model]) => asked?.includes(model) ?? true)
        .map(([logical_model, generation]) => ({ logical_model, generation, targets }));
    const statements = {
      run: ({ name }: { readonly name: string }, values: object) => {
        sent.push(name);
        if (name === 'routing-profiles') afterRead();
        return Promise.resolve(name.startsWith('routing-route') ? rows(values) : []);
      },
    } as unknown as StatementPool;
    const nobody = undefined as never;
    tables = new RoutingTables(statements, nobody, new WaitingRooms(), nobody, nobody);
    await tables.of(ORG);
    // What is read just now is believed.
    passedMs = 60;
    sent = [];
  });
  afterEach(() => jest.restoreAllMocks());

  const count = (name: string): number => sent.filter((one) => one === name).length;
  const ask = (models: readonly string[]) =>
    Promise.all(models.map(async (model) => (await tables.model(ORG, model))?.generation));

  it('are looked for once for all models that are requested at once', async () => {
    const models = Array.from({ length: 200 }, (_, request) => `no-such-${request % 10}`);
    expect(await ask([...models, 'with\0zero', 'known'])).toEqual([...models.map(() => undefined), undefined, 1]);
    expect([count('routing-route-generations'), count('routing-routes')]).toEqual([1, 0]);
  });

  it('are looked for a hundred times a second at most', async () => {
    const began = performance.now();
    for (let request = 0; request < 20; request++) await ask(['no-such']);
    expect(count('routing-route-generations')).toBe(20);
    // A timer may end a moment early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(19 * 8);
  });

  it('are read once more if one of them changed between the reads of a table', async () => {
    targets = [{ profile_id: 'gone' }];
    afterRead = () => {
      if (count('routing-profiles') === 2) targets = [];
    };
    await tables.noOlderThan(ORG, 50);
    // The routes of the second read were there before its profiles: it is torn too.
    expect([count('routing-routes'), count('routing-profiles')]).toEqual([3, 3]);
  });

  it('are taken as they are if they change all the time', async () => {
    targets = [{ profile_id: 'gone' }];
    await tables.noOlderThan(ORG, 50);
    expect([count('routing-routes'), count('routing-profiles')]).toEqual([5, 5]);
  });

  it('are found by one more read of the table if they were saved a moment ago', async () => {
    saved.set('new', 7);
    expect(await ask(['no-such', 'new'])).toEqual([undefined, 7]);
    expect(count('routing-routes')).toBe(1);
  });
});
