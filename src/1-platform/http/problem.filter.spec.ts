import type { ArgumentsHost } from '@nestjs/common';
import { createLogger } from '../common/logger';
import { invalid, notFound, type FieldFault } from '../common/answers/problem';
import { loggedFields, ProblemFilter } from './problem.filter';

const faultsOf = (...fields: string[]): FieldFault[] =>
  fields.map((field) => ({ field, message: 'must not be S3cret' }));

describe('the log line of a refusal', () => {
  /** The line that the filter writes for an error. */
  function lineOf(error: Error): Record<string, unknown> {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => lines.push(line) });
    const response = { setHeader: () => response, status: () => response, type: () => response, send: () => response };
    const http = { getRequest: () => ({ requestId: 'one' }), getResponse: () => response };
    new ProblemFilter(logger).catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  }

  it('names the faulty fields, and neither their values nor the sentence of the answer', () => {
    const { time: _time, ...line } = lineOf(invalid(faultsOf('name', 'resources[3].metadata.uid')));
    expect(line).toEqual({
      level: 'info',
      requestId: 'one',
      code: 'validation_failed',
      faults: 2,
      fields: ['name', 'resources[3].metadata.uid'],
      msg: 'a request was refused',
    });
  });

  it('names no field when the refusal has none', () => {
    expect(Object.keys(lineOf(notFound('cluster_not_found', 'There is no such cluster.')))).toEqual(
      expect.not.arrayContaining(['faults', 'fields']),
    );
  });

  it.each([
    ['Idempotency-Key', 'Idempotency-Key'],
    ['samples[0][1].name', 'samples[0][1].name'],
    ['', '?'],
    ['two words', '?'],
    ['line\nbreak', '?'],
    [`sk-${'a'.repeat(43)}`, '?'],
    [`ccp_${'a'.repeat(43)}`, '?'],
    [`filter.${'a'.repeat(41)}`, 'filter.?'],
  ])('writes the field %j as %j', (field, logged) => {
    expect(loggedFields(faultsOf(field))).toEqual([logged]);
  });

  it('names each field once, and 20 of them at most', () => {
    expect(loggedFields(faultsOf('name', 'name', 'kind'))).toEqual(['name', 'kind']);
    expect(loggedFields(faultsOf(...Array.from({ length: 30 }, (_, i) => `f${i}`)))).toHaveLength(20);
  });
});
