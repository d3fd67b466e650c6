import { databaseProblem } from './database-errors';

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

  it('is a defect of the service if nobody expected it', () => {
    expect(databaseProblem({ code: '42P01', message: 'relation "pods" does not exist' })).toBeUndefined();
  });
});
