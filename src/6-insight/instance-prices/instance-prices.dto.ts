import { Num, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { CAPACITY_TYPES, type CapacityType } from './capacity-types';

/** Highest hourly price in US dollars: a higher one is a mistake. */
export const MAX_HOURLY_USD = 1_000_000;

/** As long as a label of a node. */
const MAX_INSTANCE_TYPE = 253;

const CapacityTypeField = () => OneOf(CAPACITY_TYPES, { description: 'How the instance is bought' });

const SavedPrice = (of: string) =>
  Num({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_HOURLY_USD,
    description: `US dollars per hour of ${of}. If left out, it stays; null: unknown`,
  });
const Price = (of: string) => Num({ nullable: true, description: `US dollars per hour of ${of}` });

export class SaveInstanceTypePriceBody {
  @Str({ min: 1, max: MAX_INSTANCE_TYPE, description: 'As the label of its nodes: `p4d.24xlarge`, `Standard_NC6s_v3`' })
  instance_type!: string;

  @CapacityTypeField()
  capacity_type!: CapacityType;

  @SavedPrice('an instance that is not reclaimed')
  ondemand_price_per_hour?: number | null;

  @SavedPrice('an instance that may be reclaimed')
  spot_price_per_hour?: number | null;
}

export class InstanceTypePriceView {
  @Uuid()
  id!: string;

  @Str()
  instance_type!: string;

  @CapacityTypeField()
  capacity_type!: CapacityType;

  @Price('an instance that is not reclaimed')
  ondemand_price_per_hour!: number | null;

  @Price('an instance that may be reclaimed')
  spot_price_per_hour!: number | null;

  @Time()
  created_at!: Date;

  @Time()
  updated_at!: Date;
}
