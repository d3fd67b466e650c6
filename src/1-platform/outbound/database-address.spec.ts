import { databaseAddress } from './database-address';

it.each([
  ['postgres://user:password@db.example:6432/main', 'db.example', 6432],
  ['postgresql://db.example/main?sslmode=require', 'db.example', 5432],
  ['postgres://10.0.0.5:5433/main', '10.0.0.5', 5433],
  ['postgres://[fd12::5]/main', '[fd12::5]', 5432],
  ['postgres://a.example:1/main?host=b.example&port=2', 'b.example', 2],
  ['postgres:///main?host=/var/run/postgresql', 'localhost', 5432],
  ['postgres://%2Fvar%2Frun%2Fpostgresql:5433/main', 'localhost', 5433],
  ['postgres:///main', 'localhost', 5432],
])('the database of %s is at %s, port %d', (url, host, port) => {
  expect(databaseAddress(url)).toEqual({ host, port });
});
