import { v7, validate } from 'uuid';

/** A new row id (UUIDv7: sorts by creation). Made by the app, so that an insert can be tried again. */
export const newId = (): string => v7();

/** True for any RFC 9562 UUID, either case. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && validate(value);
