import { RequestMethod } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { OPERATION, type OperationDeclaration } from '../../endpoints/operation.decorator';
import { isByNumber, workOf, type Work } from '../../endpoints/work';

/** Where the framework stores the path and the method of a route. */
const PATH_METADATA = 'path';
const METHOD_METADATA = 'method';

/** What is known about a request before the framework has seen it. */
export interface KnownOperation {
  readonly work: Work;
  /** Whether it needs no bearer. */
  readonly isPublic: boolean;
  /** Whether requests with unknown bearers, or without one, always have the places of strangers. */
  readonly isApart: boolean;
  readonly openAiErrors: boolean;
  readonly statusErrors: boolean;
}

interface Branch {
  readonly names: Map<string, Branch>;
  /** For a segment that is a parameter. */
  any?: Branch;
  /** For a last parameter that contains slashes. */
  rest?: KnownOperation;
  operation?: KnownOperation;
}

const branch = (): Branch => ({ names: new Map() });

/**
 * Finds the operation of a request by its method and path in about a microsecond, where the framework's
 * router tries one route after the other. Requests without a result are left to that router.
 */
export class OperationTable {
  /** By method, paths without parameters. */
  private readonly plain = new Map<string, Map<string, KnownOperation>>();
  private readonly roots = new Map<string, Branch>();

  add(method: string, path: string, operation: KnownOperation): void {
    const segments = path.toLowerCase().split('/').filter(Boolean);
    if (!segments.some(isParameter)) {
      const paths = this.plain.get(method) ?? new Map<string, KnownOperation>();
      this.plain.set(method, paths.set(`/${segments.join('/')}`, operation));
      return;
    }
    let at = this.roots.get(method) ?? branch();
    this.roots.set(method, at);
    for (const segment of segments) {
      if (segment.startsWith('*')) {
        at.rest = operation;
        return;
      }
      if (isParameter(segment)) at = at.any ??= branch();
      else {
        const next = at.names.get(segment) ?? branch();
        at.names.set(segment, next);
        at = next;
      }
    }
    at.operation = operation;
  }

  /** @param url as in the request line */
  find(method: string, url: string): KnownOperation | undefined {
    const read = method === 'HEAD' ? 'GET' : method;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const paths = this.plain.get(read);
    const found = paths?.get(path);
    if (found) return found;
    // The router treats these as the same path.
    const usual = path.toLowerCase().replace(/\/$/, '');
    return paths?.get(usual) ?? this.walk(this.roots.get(read), usual.split('/'), 1);
  }

  private walk(at: Branch | undefined, segments: readonly string[], place: number): KnownOperation | undefined {
    if (!at) return undefined;
    const segment = segments[place];
    if (segment === undefined) return at.operation;
    return this.walk(at.names.get(segment), segments, place + 1) ?? this.walk(at.any, segments, place + 1) ?? at.rest;
  }
}

const isParameter = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');

/** Every operation of every controller. */
export function operationsOf(
  discovery: DiscoveryService,
  scanner: MetadataScanner,
  reflector: Reflector,
): OperationTable {
  const table = new OperationTable();
  for (const { instance, metatype } of discovery.getControllers()) {
    if (!instance || !metatype) continue;
    const prototype = Object.getPrototypeOf(instance) as Record<string, unknown>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name];
      if (typeof handler !== 'function') continue;
      const declaration = reflector.get<OperationDeclaration | undefined>(OPERATION, handler);
      const method = reflector.get<RequestMethod | undefined>(METHOD_METADATA, handler);
      if (!declaration || method === undefined) continue;
      const verb = RequestMethod[method];
      const isPublic = declaration.access === 'public';
      const work = workOf(declaration, verb === 'GET');
      const operation: KnownOperation = {
        isPublic,
        work,
        // Anybody may read plugins, and what is limited by number only never has less places.
        isApart: declaration.access === 'installers' || (isByNumber(work) && !isPublic),
        openAiErrors: declaration.openAiErrors === true,
        statusErrors: declaration.statusErrors === true,
      };
      for (const base of listed(reflector.get<string | string[]>(PATH_METADATA, metatype)))
        for (const path of listed(reflector.get<string | string[]>(PATH_METADATA, handler)))
          table.add(verb, `${base}/${path}`, operation);
    }
  }
  return table;
}

const listed = (paths: string | readonly string[] | undefined): readonly string[] =>
  typeof paths === 'string' ? [paths] : (paths ?? ['']);
