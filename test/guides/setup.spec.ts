import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWith } from '../support/components';

interface Answer {
  readonly status: number;
  readonly body: object;
}

const processing: Answer = { status: 200, body: { status: 'processing', details: null } };

describe.each(['bash', 'zsh'] as const)('The function of the guides that waits for an action, in %s', (shell) => {
  describeWith(shell === 'zsh' ? ['zsh', 'jq'] : ['jq'], 'with a service', () => {
    let server: Server;
    /** The last one again and again. */
    let answers: Answer[];

    beforeAll(async () => {
      server = createServer((_request, response) => {
        const { status, body } = answers.length > 1 ? answers.shift()! : answers[0]!;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
    });
    afterAll(() => server.close());

    const wait = (...given: Answer[]): Promise<{ code: number; out: string; err: string }> => {
      answers = given;
      const { port } = server.address() as AddressInfo;
      const env = { ...process.env, TOKEN: 'any', CP: `http://127.0.0.1:${port}` };
      const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
      execFile(shell, ['-c', '. docs/guides/setup.sh; ready an-action'], { env, timeout: 20_000 }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      );
      return promise;
    };

    it('ends once it is ready, without a word', async () => {
      const ready = { status: 200, body: { status: 'ready', details: null } };
      expect(await wait(processing, ready)).toEqual({ code: 0, out: '', err: '' });
    });

    it('fails with the reason of an action that has failed', async () => {
      const details = 'workload_missing: There is no "ccp-agent" in C:\\new.';
      const failed = { status: 200, body: { status: 'error', details } };
      expect(await wait(processing, failed)).toEqual({ code: 1, out: '', err: `${details}\n` });
    });

    it('fails with the words of a service that refuses', async () => {
      const { code, err } = await wait({ status: 404, body: { detail: 'No such action.' } });
      expect(code).toBe(1);
      expect(err).toMatch(/404[^]*No such action\.\n$/);
    });
  });
});
