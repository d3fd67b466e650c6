import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { Judge, type Class } from '../../common/fields/field-rules';
import { isJsonObject, type JsonObject } from '../../common/json/json';
import { invalid, invalidField } from '../../common/answers/problem';
import { nameIgnoredMembers, unknownMembersOf } from './unknown-members';

/** Members of a body; no class has a tenth, and each that is not one costs time. */
const MAX_MEMBERS = 1_000;

const PRIMITIVES = new Set<unknown>([String, Number, Boolean, Object, Array]);

/** What the class of a body says of the whole. */
interface BodyClass extends Class {
  readonly mayBeEmpty?: boolean;
}

/**
 * Turns a body or a query into an instance of the class its handler names, or refuses it
 * naming every faulty field. What becomes of unknown members of a body its operation
 * declares; unknown query parameters are not looked at.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  /** @returns a promise only where a list is so long that it is judged in slices */
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!metatype || PRIMITIVES.has(metatype) || (type !== 'body' && type !== 'query')) return value;
    const plain = type === 'query' ? withoutEmpty(value as JsonObject) : (value ?? {});
    if (!isJsonObject(plain)) throw invalidField('body', 'must be a JSON object');
    const members = Object.keys(plain).length;
    if (members > MAX_MEMBERS) throw invalidField('body', `must have at most ${MAX_MEMBERS} members`);

    const bodyClass = metatype as BodyClass;
    if (bodyClass.mayBeEmpty && members === 0) return undefined;
    const judge = new Judge(type === 'query' ? 'dropped' : unknownMembersOf(plain));
    const made = judge.object(bodyClass, plain);
    const judged = (): object => {
      nameIgnoredMembers(plain, judge.ignoredMembers);
      if (judge.faults.length > 0) throw invalid(judge.faults);
      return made;
    };
    return judge.isIncomplete ? judge.judgeLongLists().then(judged) : judged();
  }
}

/** `?status=` is a parameter that was left out. */
const withoutEmpty = (query: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== ''));
