import type { Abstract, Provider, Type } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logger';

/**
 * What a domain needs of another that it must not import, with the classes that supply it. The domain
 * declares the port next to its service, which takes it in its constructor. The composition root binds it:
 * without a binding the service does not start.
 */
export interface BoundPort {
  readonly port: Abstract<unknown>;
  readonly suppliers: readonly Type[];
  readonly provider: Provider;
}

/** Binds a port to its only implementation, which the module of the implementation exports. */
export function bind<T extends object>(port: Abstract<T>, implementation: Type<T>): BoundPort {
  return { port, suppliers: [implementation], provider: { provide: port, useExisting: implementation } };
}

type Notifications<Observer> = new (observers: readonly Observer[], logger: Logger) => object;

/** Binds notifications to their observers, which learn of a change in this order. There is at least one. */
export function notify<Observer>(
  port: Notifications<Observer>,
  ...suppliers: [Type<NoInfer<Observer>>, ...Type<NoInfer<Observer>>[]]
): BoundPort {
  const useFactory = (logger: Logger, ...observers: Observer[]): object => new port(observers, logger);
  return { port, suppliers, provider: { provide: port, inject: [LOGGER, ...suppliers], useFactory } };
}
