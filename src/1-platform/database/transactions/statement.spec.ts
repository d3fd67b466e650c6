import { bind, statement } from './statement';

describe('statement', () => {
  it('numbers named parameters in the order in which they occur first', () => {
    const { text, parameters } = statement('s', 'select $org_id::uuid, $limit where x = $org_id');
    expect(text).toBe('select $1::uuid, $2 where x = $1');
    expect(parameters).toEqual(['org_id', 'limit']);
  });

  it('leaves JSON paths and expressions in quotes as they are', () => {
    const path = `select jsonb_path_query(x, '$.a[*]'), x ~ '^a$' from t`;
    expect(statement('s', path)).toEqual({ name: 's', text: path, parameters: [] });
  });

  it('keeps the time in which the answer must come', () => {
    expect(statement('s', 'select 1', { query_timeout: 500 }).query_timeout).toBe(500);
  });
});

describe('bind', () => {
  it('leaves out the name of a statement that is planned at every call', () => {
    expect(bind(statement('s', 'select 1', { planned_each_time: true }), {})).toMatchObject({ name: '' });
    expect(bind(statement('s', 'select 1'), {})).toMatchObject({ name: 's' });
  });

  const two = statement('s', 'select $a, $b, $a');

  it('gives the values in the order of the positions', () => {
    expect(bind(two, { b: 2, a: 1 })).toEqual({ name: 's', text: 'select $1, $2, $1', values: [1, 2] });
  });

  it('leaves out values that the text does not use', () => {
    expect(bind(two, { a: 1, b: 2, c: 3 }).values).toEqual([1, 2]);
  });

  it('refuses a parameter without a value, and takes null', () => {
    expect(() => bind(two, { a: 1 })).toThrow('$b');
    expect(bind(two, { a: 1, b: null }).values).toEqual([1, null]);
  });
});
