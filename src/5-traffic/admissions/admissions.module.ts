import { Module } from '@nestjs/common';
import { AdmissionsService } from './admissions.service';
import { LedgerHistory } from './ledger/ledger-history';
import { SettlementsService } from './settlements.service';

/** The possible, actual and recorded costs of keys' requests. */
@Module({
  providers: [AdmissionsService, SettlementsService, LedgerHistory],
  exports: [AdmissionsService, SettlementsService],
})
export class AdmissionsModule {}
