import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { Judge, type Class } from '../../common/fields/field-rules';
import { isJsonObject, type JsonObject } from '../../common/json/json';
import { invalid, invalidField } from '../../common/answers/problem';
import { nameIgnoredMembers, unknownMembersOf } from './unknown-members';

/** Maximum members of a body. No class has a tenth of them, and each unknown one costs time. */
const MAX_MEMBERS = 1_000;

const PRIMITIVES = new Set<unknown>([String, Number, Boolean, Object, Array]);

/** What the class of a body declares for the whole. */
interface BodyClass extends Class {
  readonly mayBeEmpty?: boolean;
}

/**
 * Turns a body or a query into an instance of the class in its handler's signature, or refuses it with every
 * faulty field. Its operation decides about unknown members of a body; unknown query parameters are ignored.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  /** @returns a promise only if a list is so long that it is validated in slices */
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

/** `?status=` counts as missing. */
const withoutEmpty = (query: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== ''));
