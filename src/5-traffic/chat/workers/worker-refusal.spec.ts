import { Readable } from 'node:stream';
import { describeWithSamples, sample, sampleText } from '../../../../test/support/samples';
import { isOfTheRequest, workerRefusal } from './worker-refusal';

const refusal = async (status: number, body: string) => {
  const { status: answered, code, message, members } = await workerRefusal(status, Readable.from([Buffer.from(body)]));
  return { status: answered, code, message, error: members.error };
};

describe("a worker's error about a request", () => {
  it.each([400, 413, 422])('is about the request itself with status %i', (status) => {
    expect(isOfTheRequest(status)).toBe(true);
  });
  it.each([200, 301, 401, 403, 404, 408, 409, 429, 500, 502, 503])(
    'is not about the request itself with status %i',
    (status) => {
      expect(isOfTheRequest(status)).toBe(false);
    },
  );

  it('keeps its words, under a code of this service', async () => {
    const error = { message: 'too long', type: 'BadRequestError', param: 'messages', code: 400 };
    expect(await refusal(400, JSON.stringify({ error }))).toEqual({
      status: 400,
      code: 'refused_by_worker',
      message: 'too long',
      error: { message: 'too long', type: 'BadRequestError', param: 'messages', code: '400' },
    });
  });

  it.each<[string, string]>([
    ['{"error":"too long","error_type":"validation"}', 'too long'],
    ['{"detail":"too long"}', 'too long'],
    ['{"detail":[{"loc":["body","messages",0],"msg":"Field required"}]}', 'body.messages.0: Field required'],
    ['{"detail":[{"msg":"Too long"},{"loc":[],"msg":"Too many"},7]}', 'Too long; Too many'],
    ['{"error":{"message":"too long"},"detail":"Bad Request"}', 'too long'],
  ])('keeps its words in the shape %s', async (body, message) => {
    expect(await refusal(422, body)).toMatchObject({ message, error: { message, param: null, code: null } });
  });

  it('keeps its type beside an error that is a text', async () => {
    expect((await refusal(422, '{"error":"too long","error_type":"validation"}')).error).toMatchObject({
      type: 'validation',
    });
  });

  it.each(['', 'not JSON', 'null', '[]', '"too long"', '{"error":["too long"]}', '{"detail":[{"loc":["body"]}]}'])(
    '%p is used as far as it is understood',
    async (body) => {
      expect(await refusal(422, body)).toEqual({
        status: 422,
        code: 'refused_by_worker',
        message: 'The worker refused the request.',
        error: { message: 'The worker refused the request.', type: 'invalid_request_error', param: null, code: null },
      });
    },
  );

  it.each<[string, object, string]>([
    [
      'of FastAPI, with the request',
      {
        detail: [
          { type: 'missing', loc: ['body', 'messages'], msg: 'Field required', input: { prompt: 'x'.repeat(200_000) } },
        ],
      },
      'body.messages: Field required',
    ],
    [
      'in one text with the request',
      { error: { message: `1 validation error: ${'x'.repeat(200_000)}`, type: 'Bad Request', code: 400 } },
      `1 validation error: ${'x'.repeat(4_076)}`,
    ],
    ['beside long members', { error: 'too long', error_type: 'validation', input: 'x'.repeat(200_000) }, 'too long'],
  ])('keeps its words if it is long: %s', async (_what, body, message) => {
    expect((await refusal(422, JSON.stringify(body))).message).toBe(message);
  });

  it('keeps its words as far as they arrived before the worker broke off', async () => {
    const body = new Readable({ read: () => undefined });
    body.push('{"error":{"message":"too long');
    setImmediate(() => body.destroy(new Error('reset')));
    expect(await workerRefusal(400, body)).toMatchObject({ status: 400, message: 'too long' });
  });

  it('is cut to a readable length', async () => {
    const { message } = await refusal(400, JSON.stringify({ error: { message: 'x'.repeat(50_000) } }));
    expect(message).toBe('x'.repeat(4_096));
  });

  it('does not wait for the end of an error of a worker that has none', async () => {
    async function* endless() {
      for (;;) yield await Promise.resolve(Buffer.alloc(16 * 1024, 'x'));
    }
    const body = Readable.from(endless());
    expect(await workerRefusal(400, body)).toMatchObject({ status: 400, message: 'The worker refused the request.' });
    expect(body.destroyed).toBe(true);
  });

  it('counts an error of a worker that breaks off by its status', async () => {
    const body = new Readable({ read: () => undefined });
    body.push('{"error":');
    body.destroy(new Error('reset'));
    expect(await workerRefusal(400, body)).toMatchObject({ status: 400, message: 'The worker refused the request.' });
  });

  it('uses an error of a worker without an end as far as it arrives', async () => {
    const body = new Readable({ read: () => undefined });
    body.push('{"message":"too long"}');
    expect(await workerRefusal(422, body)).toMatchObject({ status: 422, message: 'too long' });
    expect(body.destroyed).toBe(true);
  });
});

describeWithSamples('errors of real workers', () => {
  it('are nested in newer versions', async () => {
    const { error } = sample('openai/error-400-context-length.json') as { error: { message: string; type: string } };
    expect(await refusal(400, sampleText('openai/error-400-context-length.json'))).toMatchObject({
      message: error.message,
      error: { message: error.message, type: error.type, code: '400' },
    });
  });

  it('are flat in older versions', async () => {
    const { message, type } = sample('openai/error-404-model-flat.json') as { message: string; type: string };
    expect(await refusal(400, sampleText('openai/error-404-model-flat.json'))).toMatchObject({
      message,
      error: { message, type },
    });
  });
});
