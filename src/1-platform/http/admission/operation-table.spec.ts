import { Controller, Delete, Get, SetMetadata } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { OPERATION } from '../../endpoints/operation.decorator';
import { OperationTable, operationsOf, type KnownOperation } from './operation-table';
import type { Work } from '../../endpoints/work';

const of = (work: Work): KnownOperation => ({
  work,
  isPublic: false,
  isApart: false,
  openAiErrors: false,
  statusErrors: false,
});

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

  it('has the operations of every controller, under each of their paths', () => {
    @Controller(['v1/things', 'v2/things'])
    class Things {
      readonly limit = 3;

      @Get()
      @SetMetadata(OPERATION, { access: 'public' })
      list(): void {}

      @Get([':id', 'named/:name'])
      @SetMetadata(OPERATION, { access: 'read', openAiErrors: true })
      read(): void {}

      @Delete(':id')
      @SetMetadata(OPERATION, { access: 'control', statusErrors: true })
      remove(): void {}

      @Get('undeclared')
      undeclared(): void {}

      @SetMetadata(OPERATION, { access: 'public' })
      helper(): void {}
    }
    @Controller()
    class Root {
      @Get('livez')
      @SetMetadata(OPERATION, { access: 'public', work: 'probe' })
      livez(): void {}
    }
    const controllers = [
      {},
      { instance: new Things() },
      { metatype: Things },
      { instance: new Things(), metatype: Things },
      { instance: new Root(), metatype: Root },
    ];
    const discovery = { getControllers: () => controllers } as unknown as DiscoveryService;
    const all = operationsOf(discovery, new MetadataScanner(), new Reflector());
    const plain = { isPublic: false, isApart: false, openAiErrors: false, statusErrors: false };
    const request = { ...plain, work: 'request' };
    expect(all.find('GET', '/v1/things')).toEqual({ ...request, isPublic: true });
    expect(all.find('GET', '/v2/things')).toEqual({ ...request, isPublic: true });
    expect(all.find('GET', '/v2/things/7')).toEqual({ ...request, openAiErrors: true });
    expect(all.find('GET', '/v1/things/named/x')).toEqual({ ...request, openAiErrors: true });
    // What controllers report is another class of work, unless it reads.
    expect(all.find('DELETE', '/v1/things/7')).toEqual({ ...plain, work: 'report', statusErrors: true });
    expect(all.find('GET', '/livez')).toEqual({ ...plain, work: 'probe', isPublic: true });
    expect(all.find('GET', '/v1/things/named')).toMatchObject({ openAiErrors: true });
    expect(all.find('GET', '/v1/things/undeclared/x')).toBeUndefined();
    expect(all.find('GET', '/')).toBeUndefined();
  });
});
