import { OperationTable, type KnownOperation } from './operation-table';
import type { Work } from '../../endpoints/work';

const of = (work: Work): KnownOperation => ({ work, isPublic: false, openAiErrors: false, statusErrors: false });

describe('the table of operations', () => {
  const table = new OperationTable();
  table.add('GET', 'v1/pods/', of('request'));
  table.add('GET', '/v1/pods/count', of('heavy'));
  table.add('GET', 'v1/jobs/:id', of('request'));
  table.add('GET', 'v1/jobs/:id/pods', of('heavy'));
  table.add('GET', 'v1/jobs/priorities/list', of('batch'));
  table.add('PUT', 'objects/*key', of('remote'));
  table.add('POST', 'v1/Plugins/upload/*name', of('traffic'));

  it.each<[string, string, Work | undefined]>([
    ['GET', '/v1/pods', 'request'],
    ['HEAD', '/v1/pods', 'request'],
    ['GET', '/v1/pods/', 'request'],
    ['GET', '/V1/Pods/COUNT?status=Running', 'heavy'],
    ['GET', '/v1/jobs/0199d3a4', 'request'],
    ['GET', '/v1/jobs/priorities/pods?x=/', 'heavy'],
    ['GET', '/v1/jobs/priorities/list', 'batch'],
    ['PUT', '/objects/a/b/c', 'remote'],
    ['POST', '/v1/plugins/upload/criu/lib.so', 'traffic'],
    ['POST', '/v1/pods/count', undefined],
    ['GET', '/v1/jobs/a/b', undefined],
    ['GET', '/', undefined],
    ['GET', '*', undefined],
    ['BREW', '/v1/pods', undefined],
  ])('finds for %s %s: %s', (method, url, work) => {
    expect(table.find(method, url)?.work).toBe(work);
  });
});
