import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { OPERATION } from './operation.decorator';

const ROUTE_PATH = 'path';

/** Prevents the start if a route declares no access, or two routes declare the same name. */
@Injectable()
export class AccessDeclarations implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onApplicationBootstrap(): void {
    const seen = new Set<string>();
    for (const { instance, name } of this.discovery.getControllers()) {
      if (!instance) continue;
      const prototype = Object.getPrototypeOf(instance) as Record<string, unknown>;
      for (const method of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[method];
        if (typeof handler !== 'function' || this.reflector.get(ROUTE_PATH, handler) === undefined) continue;
        const declaration = this.reflector.get<{ id: string } | undefined>(OPERATION, handler);
        if (!declaration) throw new Error(`${String(name)}.${method} declares no @Operation: who may call it?`);
        if (seen.has(declaration.id)) throw new Error(`two operations are named ${declaration.id}`);
        seen.add(declaration.id);
      }
    }
  }
}
