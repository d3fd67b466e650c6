import { ConnectionsInUse, databaseProblem, isAway, isConnectionFault, isInUse } from './database-errors';

describe('an error of the database', () => {
  it.each([
    ['54000', 'a value that no index can hold', 400, 'holds a value that is too long to be stored'],
    ['54001', 'a body with too many levels', 400, 'is nested too deeply'],
    ['22P05', 'a character that it cannot store', 400, 'holds a value that cannot be stored'],
  ])('%s: %s is the fault of the request', (code, _what, status, message) => {
    const problem = databaseProblem({ code, message: 'index row size 3112 exceeds btree version 4 maximum 2704' });
    expect([problem?.status, problem?.errors?.[0]?.message]).toEqual([status, message]);
    expect(JSON.stringify(problem?.errors)).not.toContain('3112');
  });

  it('is a busy database, and not a lost one, if others use all connections', () => {
    const busy = new ConnectionsInUse('all connections to the database are in use');
    expect(databaseProblem(busy)).toMatchObject({ status: 503, code: 'database_busy' });
    expect([isInUse(busy), isConnectionFault(busy), isAway(busy)]).toEqual([true, true, true]);
    const lost = { code: 'ECONNRESET', message: 'read ECONNRESET' };
    expect(databaseProblem(lost)).toMatchObject({ status: 503, code: 'database_unavailable' });
    expect(isInUse(lost)).toBe(false);
  });

  it('is a defect of the service if nobody expected it', () => {
    expect(databaseProblem({ code: '42P01', message: 'relation "pods" does not exist' })).toBeUndefined();
  });
});
