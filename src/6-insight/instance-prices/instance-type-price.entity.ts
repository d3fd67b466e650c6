import { Check, Entity, JoinColumn, ManyToOne } from 'typeorm';
import { DatabaseTimestamp, Key, Usd, UuidColumn } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';
import type { CapacityType } from './capacity-types';

/** The hourly prices of an instance type and capacity type. */
@Entity('instance_type_prices')
@Check('instance_type_prices_capacity_type_check', "capacity_type in ('spot', 'on-demand')")
@Check('instance_type_prices_positive_check', 'ondemand_price_per_hour >= 0 and spot_price_per_hour >= 0')
export class InstanceTypePrice {
  @Key('instance_type_prices')
  orgId!: string;

  @Key('instance_type_prices', 'text')
  instanceType!: string;

  @Key('instance_type_prices', 'text')
  capacityType!: CapacityType;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'instance_type_prices_org_fkey' })
  organisation?: Organisation;

  @UuidColumn()
  id!: string;

  @Usd({ nullable: true })
  ondemandPricePerHour!: string | null;

  @Usd({ nullable: true })
  spotPricePerHour!: string | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
