import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as swagger from '@nestjs/swagger';
import type { INestApplication } from '@nestjs/common';
import { NOTES } from '../1-platform/common/described';
import { BODY_EXAMPLE } from '../1-platform/endpoints/operation.decorator';
import { ProblemView } from '../1-platform/common/answers/problem.dto';
import { HostCpuObject, HostMemoryObject, HostObject } from '../2-inventory/hosts/hosts.dto';
import {
  LegacyJobCheckpointBody,
  LegacyJobCheckpointObject,
  LegacyJobObject,
  LegacyJobStateObject,
} from '../2-inventory/legacy-jobs/legacy-jobs.dto';
import { RestoreEventBody, RestoreView } from '../3-checkpointing/restores/restores.dto';
import { addExamples } from './add-examples';
import { WINGS } from './tags';
import { SUBTITLE, TITLE } from './title';

/** The version of the package: `package.json` is two folders above this file, in `src` and in `dist`. */
const { version, license } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
  version: string;
  license: string;
};

/** Classes of objects that may have more members than described. */
const OPEN_OBJECTS = [
  RestoreEventBody,
  RestoreView,
  HostObject,
  HostCpuObject,
  HostMemoryObject,
  LegacyJobObject,
  LegacyJobStateObject,
  LegacyJobCheckpointBody,
  LegacyJobCheckpointObject,
];

/** The description of the API, built from the declarations of handlers and classes. */
export function describe(app: INestApplication): swagger.OpenAPIObject {
  NOTES.apply(swagger);
  const builder = new swagger.DocumentBuilder()
    .setTitle(TITLE)
    .setVersion(version)
    .setDescription(SUBTITLE)
    .setLicense(license, `https://spdx.org/licenses/${license}.html`)
    .setOpenAPIVersion('3.0.3')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An access token' }, 'bearer')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An inference key (`sk-…`)' }, 'inference_key');
  for (const { tags } of WINGS)
    for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  builder.addExtension(
    'x-tagGroups',
    WINGS.map(({ name, tags }) => ({ name, tags: Object.keys(tags) })),
  );
  const document = swagger.SwaggerModule.createDocument(app, builder.build(), { extraModels: [ProblemView] });
  for (const { name } of OPEN_OBJECTS)
    Object.assign(document.components?.schemas?.[name] ?? {}, { additionalProperties: true });
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path) as OperationObject[]))
    moveExample(operation);
  const mended = mendMembers(document);
  // Afterwards, because parts of an example may look like schemas.
  addExamples(mended);
  return mended;
}

interface OperationObject {
  requestBody?: { content: Record<string, { example?: unknown }> };
  [BODY_EXAMPLE]?: unknown;
}

function moveExample(operation: OperationObject): void {
  const example = operation[BODY_EXAMPLE];
  delete operation[BODY_EXAMPLE];
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    if (example !== undefined) media.example = example;
}

/** Only null, as OpenAPI 3.0 expresses it: `nullable` has an effect only together with a `type`. */
const ONLY_NULL = { type: 'object', nullable: true, enum: [null] } as const;

/**
 * Corrects what the generator writes for two kinds of members.
 *
 * - A member of any type has no `type`, and may be null. The generator writes `object`.
 * - A member that is null or an object of a class: the generator writes `nullable` beside `allOf`. Strict
 * validators then refuse null, because the class refuses it.
 */
function mendMembers<T>(node: T): T {
  if (Array.isArray(node)) return node.map(mendMembers) as T;
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-any': any, ...rest } = node as Record<string, unknown>;
  const entries = Object.entries(rest).filter(([name]) => !(any === true && (name === 'type' || name === 'nullable')));
  const mended = Object.fromEntries(entries.map(([name, value]) => [name, mendMembers(value)]));
  if (mended.nullable !== true || !Array.isArray(mended.allOf)) return mended as T;
  const { nullable: _nullable, type: _type, allOf, ...others } = mended;
  return { ...others, anyOf: [...(allOf as unknown[]), ONLY_NULL] } as T;
}
