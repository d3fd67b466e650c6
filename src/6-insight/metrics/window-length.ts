import { Int } from '../../1-platform/common/fields/fields';

/**
 * A member of a query: how far back is looked, in the unit that its name has.
 * What is longer than the maximum is as long as that.
 */
export const WindowLength = (lengths: { max: number; default: number }, description = 'Window length') =>
  Int({ query: true, optional: true, format: null, min: 1, showMax: true, ...lengths, description });
