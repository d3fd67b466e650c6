import type { JsonObject } from '../../src/1-platform/common/json/json';
import type { Organisation } from './service';

export const EXPERIMENTS = '/v1/inference/experiments';

/** @returns the id of a running experiment */
export async function startExperiment(
  { operator }: Pick<Organisation, 'operator'>,
  overrides: JsonObject = {},
): Promise<string> {
  const { status, body, text } = await operator.post(EXPERIMENTS, { name: 'peak', scenario: 'soak', ...overrides });
  if (status !== 201) throw new Error(`an experiment was answered ${status}: ${text}`);
  return (body as { id: string }).id;
}
