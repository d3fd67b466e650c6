import { join } from 'node:path';

/** Loads a module of this folder when it is needed: a supervisor needs little memory. */
export const load = async <M>(name: string): Promise<M> => (await import(join(__dirname, name))) as M;
