/**
 * Turns a body or a query into an instance of its class, and validates it by the rules of the class's fields
 * (see `fields.ts`). class-transformer and class-validator do that for the members of one object only,
 * because on their own they would first walk through the whole body, however large. The judge walks from
 * object to object instead: it checks the length of a list before its elements, handles long lists in slices,
 * and stops after a bounded number of faults.
 */
import { plainToInstance, Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, validateSync } from 'class-validator';
import { isJsonObject, type JsonObject } from '../json/json';
import { inSlices } from '../work/slices';
import { rememberRules } from './rules-of-classes';

rememberRules();

/** A fault with its field. */
interface FieldFault {
  field: string;
  message: string;
}

/** The fault of a value, or undefined. */
export type Check = (value: unknown) => string | undefined;

export type Class = new () => object;

export interface FieldRule {
  readonly optional: boolean;
  readonly nullable: boolean;
  /** For a value that is neither undefined nor null. */
  readonly check: Check;
  /** Converts the text of a query parameter. */
  readonly convert?: (value: unknown) => unknown;
  /** The value is an object of a class, or a list of them. */
  readonly within?: (value: unknown) => Class | undefined;
}

const declared = new WeakMap<object, Map<string, FieldRule>>();
const collected = new WeakMap<object, ReadonlyMap<string, FieldRule>>();

export function declareRule(prototype: object, name: string, rule: FieldRule): void {
  const { optional, nullable, convert } = rule;
  ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null))(prototype, name);
  ValidateBy({
    name: 'rule',
    validator: {
      validate: (value: unknown) => faultOf(rule, value) === undefined,
      defaultMessage: (args) => faultOf(rule, args?.value) ?? '',
    },
  })(prototype, name);
  if (convert) Transform(({ value }: { value: unknown }) => convert(value))(prototype, name);
  const rules = declared.get(prototype) ?? new Map<string, FieldRule>();
  declared.set(prototype, rules.set(name, rule));
}

function faultOf({ check }: FieldRule, value: unknown): string | undefined {
  if (value === undefined) return 'is required';
  return value === null ? 'must not be null' : check(value);
}

/** The rules of a class by field, inherited ones first. */
export function rulesOf(type: Class): ReadonlyMap<string, FieldRule> {
  const known = collected.get(type);
  if (known) return known;
  const rules = new Map<string, FieldRule>();
  const collect = (prototype: object | null): void => {
    if (prototype === null) return;
    collect(Object.getPrototypeOf(prototype) as object | null);
    for (const [name, rule] of declared.get(prototype) ?? []) rules.set(name, rule);
  };
  collect(type.prototype as object);
  collected.set(type, rules);
  return rules;
}

/** How to handle members that the class does not declare. */
export type UnknownMembers =
  /** Each is a fault. */
  | 'refused'
  /** They are dropped and named. */
  | 'ignored'
  /** They are dropped. */
  | 'dropped'
  /** They stay in the object. */
  | 'kept';

const UNKNOWN_MEMBER = 'is not a member of this body';

/** Validation stops after this many faults. An answer names fewer. */
const MAX_FAULTS = 1_000;

/** Number of ignored members that an answer names. */
const MAX_IGNORED = 20;

/** Lists up to this length are validated at once, longer ones in slices. */
const ELEMENTS_AT_ONCE = 100;

const VALIDATION = {
  forbidUnknownValues: false,
  stopAtFirstError: true,
  validationError: { target: false, value: false },
} as const;

/**
 * An instance with the declared members. Arrays and objects bypass class-transformer, which would copy all
 * their contents and drop members named `__proto__` or `constructor`.
 */
function instanceOf(type: Class, plain: JsonObject, rules: ReadonlyMap<string, FieldRule>) {
  const scalars: JsonObject = {};
  const others: [string, unknown][] = [];
  for (const name of rules.keys()) {
    const value = Object.hasOwn(plain, name) ? plain[name] : undefined;
    if (value === undefined) continue;
    if (typeof value === 'object' && value !== null) others.push([name, value]);
    else scalars[name] = value;
  }
  const made = plainToInstance(type, scalars) as JsonObject;
  for (const [name, value] of others) made[name] = value;
  return { made, found: Object.keys(scalars).length + others.length };
}

interface LongList {
  readonly elements: readonly unknown[];
  readonly typeOf: (value: unknown) => Class | undefined;
  readonly at: string;
  readonly made: unknown[];
}

/** Creates an object of a class from a value, and collects the faults. */
export class Judge {
  readonly faults: FieldFault[] = [];
  private readonly ignored = new Set<string>();
  private readonly longLists: LongList[] = [];

  constructor(private readonly unknownMembers: UnknownMembers) {}

  /** Names of the first dropped members; `samples[].name` means any element. */
  get ignoredMembers(): readonly string[] {
    return [...this.ignored];
  }

  /** Whether there are long lists, which `judgeLongLists` must validate before the object is complete. */
  get isIncomplete(): boolean {
    return this.longLists.length > 0;
  }

  /** @param at path of the object; empty at the top */
  object(type: Class, plain: JsonObject, at = ''): object {
    const rules = rulesOf(type);
    const { made, found } = instanceOf(type, plain, rules);
    const faulty = this.validate(made, at);
    for (const [name, { within }] of rules) {
      const value = made[name];
      if (!within || value === undefined || value === null || faulty.has(name)) continue;
      made[name] = this.within(within, value, place(at, name));
    }
    const names = Object.keys(plain);
    if (names.length > found) this.unknown(names, rules, plain, made, at);
    return made;
  }

  /** In slices, because a batch has thousands of elements. */
  async judgeLongLists(): Promise<void> {
    for (let list = this.longLists.shift(); list !== undefined; list = this.longLists.shift()) {
      const { elements, typeOf, at, made } = list;
      await inSlices(elements, (element, index) => {
        if (!this.isFull) made.push(this.element(typeOf, element, `${at}[${index}]`));
      });
    }
  }

  private get isFull(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  /** Validates the members of one object, without nested ones. @returns the names of the faulty ones */
  private validate(made: object, at: string): ReadonlySet<string> {
    const faulty = new Set<string>();
    for (const { property, constraints = {} } of validateSync(made, VALIDATION)) {
      faulty.add(property);
      for (const message of Object.values(constraints)) this.fault(at, property, message);
    }
    return faulty;
  }

  private within(typeOf: (value: unknown) => Class | undefined, value: unknown, at: string): unknown {
    if (!Array.isArray(value)) return this.element(typeOf, value, at);
    const elements = value as unknown[];
    const made: unknown[] = [];
    if (elements.length > ELEMENTS_AT_ONCE) this.longLists.push({ elements, typeOf, at, made });
    else elements.forEach((element, index) => made.push(this.element(typeOf, element, `${at}[${index}]`)));
    return made;
  }

  private element(typeOf: (value: unknown) => Class | undefined, value: unknown, at: string): unknown {
    const type = typeOf(value);
    return type && isJsonObject(value) ? this.object(type, value, at) : value;
  }

  private unknown(
    names: readonly string[],
    rules: ReadonlyMap<string, FieldRule>,
    plain: JsonObject,
    made: JsonObject,
    at: string,
  ): void {
    if (this.unknownMembers === 'dropped') return;
    for (const name of names) {
      if (this.isFull || this.ignored.size >= MAX_IGNORED) return;
      if (rules.has(name)) continue;
      if (this.unknownMembers === 'refused') this.fault(at, name, UNKNOWN_MEMBER);
      else if (this.unknownMembers === 'ignored') this.ignored.add(place(at.replace(/\[\d+\]/g, '[]'), name));
      // Defined, not assigned: assigning a member named __proto__ would change the prototype.
      else
        Object.defineProperty(made, name, {
          value: plain[name],
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
  }

  private fault(at: string, name: string, message: string): void {
    if (!this.isFull) this.faults.push({ field: place(at, name), message });
  }
}

const place = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);
