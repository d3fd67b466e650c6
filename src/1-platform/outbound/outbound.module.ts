import type { Server } from 'node:net';
import { Global, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { invariant } from '../common/invariant';
import { allowedEndpoint, type AllowedEndpoint } from '../config/allowed-endpoint';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { AddressPolicy } from './address-policy';
import { databaseAddress } from './database-address';
import { WorkerClient } from './worker-client';

/** The client for endpoints that others report, and its policy. */
@Global()
@Module({
  providers: [
    {
      provide: AddressPolicy,
      inject: [ENVIRONMENT, HttpAdapterHost],
      useFactory: (
        { workerEndpointAllow, databaseUrl, databaseListenUrl, databaseReadUrl, port }: Environment,
        host: HttpAdapterHost,
      ) =>
        new AddressPolicy({
          allow: workerEndpointAllow?.map(checkedEndpoint),
          // With port 0 the system has chosen another one.
          ownPorts: () => [port, listeningPort(host)],
          databases: [databaseUrl, databaseListenUrl, databaseReadUrl]
            .filter((url) => url !== undefined)
            .map(databaseAddress),
        }),
    },
    {
      provide: WorkerClient,
      inject: [AddressPolicy, ENVIRONMENT],
      useFactory: (policy: AddressPolicy, { workerAnswerTimeoutSeconds }: Environment) =>
        new WorkerClient(policy, { answerTimeoutMs: workerAnswerTimeoutSeconds * 1_000 }),
    },
  ],
  exports: [AddressPolicy, WorkerClient],
})
export class OutboundModule {}

function checkedEndpoint(text: string): AllowedEndpoint {
  const entry = allowedEndpoint(text);
  invariant(entry, 'entries are checked when the environment is read');
  return entry;
}

function listeningPort({ httpAdapter }: HttpAdapterHost): number {
  const address = (httpAdapter.getHttpServer() as Server).address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
