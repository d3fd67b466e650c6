import { once } from 'node:events';
import { BoundedAdapter } from './bounded-adapter';

describe('the server behind the application', () => {
  const adapter = new BoundedAdapter();
  adapter.initHttpServer();

  it('does not listen without an admission, and listens with one', async () => {
    expect(() => adapter.listen(0, '127.0.0.1')).toThrow('admission');
    adapter.admit = (req, res, handle) => handle(req, res);
    const server = adapter.listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });
});
