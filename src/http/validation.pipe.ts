import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { opaqueMembers } from '../common/fields';
import { isJsonObject, type JsonObject } from '../common/json';
import { invalid, invalidField, type FieldFault } from '../common/problem';

/** Members of a body; no class has a tenth, and each that is not one costs time. */
const MAX_MEMBERS = 1_000;

const PRIMITIVES = new Set<unknown>([String, Number, Boolean, Object, Array]);

/**
 * Turns a body or a query into an instance of the class its handler names, or refuses it naming every faulty field.
 * Unknown members of a body are refused; unknown query parameters are not looked at.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!metatype || PRIMITIVES.has(metatype) || (type !== 'body' && type !== 'query')) return value;
    const plain = type === 'query' ? withoutEmpty(value as JsonObject) : (value ?? {});
    if (!isJsonObject(plain)) throw invalidField('body', 'must be a JSON object');
    if (Object.keys(plain).length > MAX_MEMBERS) throw invalidField('body', `must have at most ${MAX_MEMBERS} members`);

    const strange = strangeMember(plain, opaqueMembers(metatype), '');
    if (strange !== undefined) throw invalidField(strange, UNKNOWN_MEMBER);

    const { acceptsMore = false, mayBeEmpty = false } = metatype as { acceptsMore?: boolean; mayBeEmpty?: boolean };
    if (mayBeEmpty && Object.keys(plain).length === 0) return undefined;
    const instance = instantiate(metatype as new () => object, plain);
    const errors = validateSync(instance, {
      whitelist: !acceptsMore,
      forbidNonWhitelisted: type === 'body',
      forbidUnknownValues: false,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
    });
    const found = [
      ...errors.flatMap((error) => faults(error, '')),
      ...(type === 'body' && !acceptsMore ? dropped(plain, instance, '') : []),
    ];
    if (found.length > 0) throw invalid(found);
    return instance;
  }
}

/**
 * Where an object has a member named `constructor`: the transformation takes that for its class. At the top it is found by its name, as any
 * unknown member.
 */
function strangeMember(value: JsonObject, opaque: ReadonlySet<string>, at: string): string | undefined {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'object' || member === null || opaque.has(name)) continue;
    const field = place(at, name);
    if (Object.hasOwn(member, 'constructor')) return place(field, 'constructor');
    const within = strangeMember(member as JsonObject, NO_NAMES, field);
    if (within !== undefined) return within;
  }
  return undefined;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Members of any type go round the transformation: it would copy them, and drop members named `__proto__` or
 * `constructor` on the way.
 */
function instantiate(type: new () => object, plain: JsonObject): object {
  const opaque = opaqueMembers(type);
  if (opaque.size === 0) return plainToInstance(type, plain);
  const entries = Object.entries(plain);
  const instance = plainToInstance(type, Object.fromEntries(entries.filter(([name]) => !opaque.has(name))));
  for (const [name, member] of entries) if (opaque.has(name)) Object.assign(instance, { [name]: member });
  return instance;
}

/** `?status=` is a parameter that was left out. */
const withoutEmpty = (query: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== ''));

const UNKNOWN_MEMBER = 'is not a member of this body';

/**
 * Members that the transformation left out, because they have the name of something that every object has
 * (`constructor`, `toString`): the validation never sees them.
 */
function dropped(plain: unknown, made: unknown, at: string): FieldFault[] {
  if (plain === made || typeof plain !== 'object' || typeof made !== 'object' || !plain || !made) return [];
  return Object.entries(plain).flatMap(([name, member]) => {
    const field = place(at, name);
    if (!Object.hasOwn(made, name)) return [{ field, message: UNKNOWN_MEMBER }];
    return dropped(member, (made as JsonObject)[name], field);
  });
}

const place = (parent: string, property: string): string =>
  parent === '' ? property : /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;

function faults({ property, constraints, children }: ValidationError, parent: string): FieldFault[] {
  const field = place(parent, property);
  const own = Object.entries(constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? UNKNOWN_MEMBER : message,
  }));
  return [...own, ...(children ?? []).flatMap((child) => faults(child, field))];
}
