import { existsSync } from 'node:fs';
import { readEnvironment, type Environment } from './environment';

/** The environment of this process, plus the file `.env` in its directory. @throws EnvironmentError */
export function loadEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readEnvironment(process.env);
}
