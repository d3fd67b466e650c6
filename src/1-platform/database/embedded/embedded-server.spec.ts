import pg from 'pg';
import { throughSocket } from './embedded-server';

const URL_OVER_TCP = 'postgres://control_plane:secret@127.0.0.1:54321/control_plane';

it.each(['/srv/data/postgres', '/srv/my data, #1/postgres', '/srv/daten-für-alle/postgres'])(
  'a server with its files in %s is reached through its socket',
  (files) => {
    expect(new pg.Client(throughSocket(URL_OVER_TCP, files))).toMatchObject({
      host: files,
      port: 54321,
      user: 'control_plane',
      password: 'secret',
      database: 'control_plane',
    });
  },
);

it('a server is reached over TCP where the path of its socket would be too long', () => {
  expect(throughSocket(URL_OVER_TCP, `/${'d'.repeat(87)}`)).not.toBe(URL_OVER_TCP);
  expect(throughSocket(URL_OVER_TCP, `/${'d'.repeat(88)}`)).toBe(URL_OVER_TCP);
  expect(throughSocket(URL_OVER_TCP, `/${'ü'.repeat(44)}`)).toBe(URL_OVER_TCP);
});
