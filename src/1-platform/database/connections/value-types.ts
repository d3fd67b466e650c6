import pg from 'pg';
import { parseJson } from '../../common/json/json';

const { builtins } = pg.types;

/**
 * How values of PostgreSQL become values of JavaScript, for every pool: bigint is a number, and throws if a
 * double would round it; JSON keeps numbers that a double would round as digits.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: string) {
    if (format !== 'binary') {
      if (oid === Number(builtins.INT8)) return int8;
      if (oid === Number(builtins.JSONB) || oid === Number(builtins.JSON)) return parseJson;
    }
    return pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
  },
};

function int8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond 2^53-1`);
  return value;
}
