import { Int } from '../../1-platform/common/fields/fields';

/**
 * A query parameter for the length of the window, in the unit of its name. Longer values are cut to the
 * maximum.
 */
export const WindowLength = (lengths: { max: number; default: number }, description = 'Window length') =>
  Int({ query: true, optional: true, format: null, min: 1, showMax: true, ...lengths, description });
