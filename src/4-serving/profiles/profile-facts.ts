import { canonicalJson, jsonDigest } from '../../1-platform/common/json/canonical-json';
import { isJsonObject, isRawNumber, type JsonObject } from '../../1-platform/common/json/json';
import { usdOf } from '../../1-platform/common/money';
import { hasWorker } from './profile-worker';
import type { CreateProfileBody } from './profiles.dto';

/** Highest price of a million tokens: a higher one is a mistake. */
const MAX_PRICE_USD = 10_000;
const MAX_PRICE = usdOf(String(MAX_PRICE_USD)) ?? 0n;

/** Optional members, and their defaults. */
const DEFAULTS = {
  estimated_cold_start_ms: 0,
  hosting_mode: 'dedicated',
  min_replicas: 0,
  max_replicas: 1,
  target_concurrency: 8,
  max_queue_depth: 64,
  scale_down_idle_seconds: 900,
  compatibility: {},
  engine_template: null,
} as const;

/** The immutable members of a profile: `enabled` is not among them. */
export type FullProfile = Required<Omit<CreateProfileBody, 'enabled' | 'backend_url'>> & {
  /** Empty if the addresses of its workers are reported. */
  backend_url: string;
};

export const withDefaults = ({ enabled: _, ...body }: CreateProfileBody): FullProfile => ({
  ...DEFAULTS,
  autoscale: hasWorker(body.spec),
  ...body,
  backend_url: body.backend_url ?? '',
});

/** Equal for equal bodies, in any notation. The default of `autoscale` does not count: it came later. */
export const profileRevision = ({ autoscale, ...profile }: FullProfile): string =>
  jsonDigest(autoscale === hasWorker(profile.spec) ? profile : { ...profile, autoscale });

export const compatibilityKey = ({ compatibility, exact_model, hosting_mode }: FullProfile): string =>
  jsonDigest({ compatibility, exact_model, hosting_mode });

const specOf = (spec: unknown): JsonObject => (isJsonObject(spec) ? spec : {});

/** Whether workers of the profile can be checkpointed. */
export const checkpoints = ({ hosting_mode, spec }: Pick<FullProfile, 'hosting_mode' | 'spec'>): boolean =>
  hosting_mode === 'checkpointed' || specOf(spec).checkpoint === true;

/**
 * Canonical JSON of the flags that an engine starts with, from `metadata` of an artifact or `spec` of a
 * profile.
 */
export function engineFlags(named: unknown): string | null {
  const { engine_flags: flags } = specOf(named);
  return flags === undefined || flags === null ? null : canonicalJson(flags);
}

/**
 * Who takes checkpoints of its workers: the owner in the spec, else the cluster's controller if the profile
 * checkpoints at all.
 */
export function checkpointOwner(spec: unknown, takesCheckpoints: boolean): string {
  const { checkpoint_owner: owner } = specOf(spec);
  if (typeof owner === 'string' && owner !== '') return owner;
  return takesCheckpoints ? 'controller' : 'none';
}

const PRICES = ['prompt_usd_per_mtok', 'completion_usd_per_mtok'];

/** The error in the prices of a spec, with its member; undefined if they are valid. */
export function pricingFault(spec: unknown): { field: string; message: string } | undefined {
  const { pricing } = specOf(spec);
  if (pricing === undefined || pricing === null) return undefined;
  if (!isJsonObject(pricing)) return { field: 'spec.pricing', message: 'must be an object' };
  const wrong = PRICES.find((name) => pricing[name] !== undefined && !isPrice(pricing[name]));
  return wrong === undefined
    ? undefined
    : { field: `spec.pricing.${wrong}`, message: 'must be a number of US dollars from 0 to 10,000' };
}

const isPrice = (value: unknown): boolean =>
  typeof value === 'number' ? value >= 0 && value <= MAX_PRICE_USD : isRawNumber(value) && isUsdPrice(value.rawJSON);

/** Of a number with more digits than a double has. */
function isUsdPrice(text: string): boolean {
  const usd = usdOf(text);
  return usd !== undefined && usd <= MAX_PRICE;
}

/** Whether its workers are stand-ins on a CPU, for tests of a cluster without accelerators. */
export const isCpuFixture = (spec: unknown): boolean => specOf(spec).cpu_fixture === true;
