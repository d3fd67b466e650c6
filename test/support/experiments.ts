import type { JsonObject } from '../../src/1-platform/common/json/json';
import type { Organisation } from './service';
import { untilServed } from './until-served';

export const EXPERIMENTS = '/v1/inference/experiments';

/** @returns the id of a running experiment */
export async function startExperiment(
  { operator }: Pick<Organisation, 'operator'>,
  overrides: JsonObject = {},
): Promise<string> {
  const start = () => operator.post(EXPERIMENTS, { name: 'peak', scenario: 'soak', ...overrides });
  const { status, body, text } = await untilServed(start);
  if (status !== 201) throw new Error(`an experiment was answered ${status}: ${text}`);
  return (body as { id: string }).id;
}
