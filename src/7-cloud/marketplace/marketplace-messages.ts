/**
 * The messages of the marketplace's API: the members that are read, and their names in this service. Unknown
 * members are ignored; a known member of another type is treated as missing.
 */
import { isJsonObject, unstorable, type JsonObject } from '../../1-platform/common/json/json';
import { definedMembers } from '../../1-platform/common/fields/defined-members';
import type { Machine, MachineAsk, MachineListing, Offer } from '../instances/providers/instance-provider';

const MAX_TEXT = 1_024;
const MAX_ITEMS = 1_000;

/** Of ids, which are parts of paths: none that a URL would interpret. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,254}$/;
const idOf = (value: unknown): string | undefined => (typeof value === 'string' && ID.test(value) ? value : undefined);

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_TEXT && unstorable(value) === undefined ? value : undefined;
const filled = (value: unknown): string | undefined => text(value) || undefined;
const within = (value: unknown, min: number, max: number): number | undefined =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max ? (value as number) : undefined;
const MAX_INT32 = 2 ** 31 - 1;
const int32 = (value: unknown): number | undefined => within(value, -MAX_INT32, MAX_INT32);
const price = (value: unknown): number | undefined => within(value, 0, MAX_INT32);
const port = (value: unknown): number | undefined => within(value, 1, 65_535);
const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, MAX_ITEMS) : []);
const texts = (value: unknown): string[] => list(value).flatMap((item) => text(item) ?? []);
const object = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** @returns undefined if the machine's id or status is missing */
export function readMachine(value: unknown): Machine | undefined {
  const machine = object(value);
  const providerId = idOf(machine.id);
  const status = filled(machine.status);
  if (providerId === undefined || status === undefined) return undefined;
  return {
    providerId,
    status,
    name: text(machine.name) ?? '',
    cloud: text(machine.cloud) ?? '',
    region: text(machine.region) ?? '',
    type: text(machine.shade_instance_type) ?? '',
    tags: texts(machine.tags),
    facts: {
      cloudInstanceType: filled(machine.cloud_instance_type) ?? null,
      statusDetails: filled(machine.status_details) ?? null,
      ip: filled(machine.ip) ?? null,
      sshUser: filled(machine.ssh_user) ?? null,
      sshPort: port(machine.ssh_port) ?? null,
      hourlyPrice: price(machine.hourly_price) ?? null,
      costEstimate: filled(machine.cost_estimate) ?? null,
      createdAt: filled(machine.created_at) ?? null,
      activeAt: filled(machine.active_at) ?? null,
      deletedAt: filled(machine.deleted_at) ?? null,
    },
  };
}

/** @returns undefined if it is no listing at all, which differs from an empty one */
export function readMachines(value: unknown): MachineListing | undefined {
  const { instances } = object(value);
  if (!Array.isArray(instances)) return undefined;
  const machines = instances.flatMap((instance) => readMachine(instance) ?? []);
  return { machines, whole: machines.length === instances.length };
}

/** @returns undefined if it lacks a required member */
function readOffer(value: unknown): Offer | undefined {
  const offer = object(value);
  const type = filled(offer.shade_instance_type);
  const hourlyPrice = price(offer.hourly_price);
  if (type === undefined || hourlyPrice === undefined) return undefined;
  const boot = object(offer.boot_time);
  const hardware = object(offer.configuration);
  return {
    cloud: text(offer.cloud) ?? '',
    cloudInstanceType: text(offer.cloud_instance_type) ?? '',
    deploymentType: text(offer.deployment_type) ?? '',
    type,
    hourlyPrice,
    availability: list(offer.availability)
      .filter(isJsonObject)
      .map((place) =>
        definedMembers({
          available: flag(place.available),
          displayName: text(place.display_name),
          region: text(place.region),
        }),
      ),
    bootTime: definedMembers({ minSeconds: int32(boot.min_boot_in_sec), maxSeconds: int32(boot.max_boot_in_sec) }),
    configuration: definedMembers({
      gpuType: text(hardware.gpu_type),
      interconnect: text(hardware.interconnect),
      memoryGb: int32(hardware.memory_in_gb),
      gpus: int32(hardware.num_gpus),
      storageGb: int32(hardware.storage_in_gb),
      vcpus: int32(hardware.vcpus),
      vramPerGpuGb: int32(hardware.vram_per_gpu_in_gb),
      nvlink: flag(hardware.nvlink),
      osOptions: Array.isArray(hardware.os_options) ? texts(hardware.os_options) : undefined,
    }),
  };
}

/** @returns undefined if it is no list of types */
export function readOffers(value: unknown): Offer[] | undefined {
  const { instance_types: types } = object(value);
  return Array.isArray(types) ? types.flatMap((type) => readOffer(type) ?? []) : undefined;
}

/** @returns the id of the created machine, or undefined without one */
export const readCreated = (value: unknown): string | undefined => idOf(object(value).id);

export const writeAsk = ({ cloud, region, type, marketplaceCloud, name, tags, further }: MachineAsk): JsonObject => ({
  ...further,
  cloud,
  region,
  shade_instance_type: type,
  shade_cloud: marketplaceCloud,
  name,
  tags: [...tags],
});
