import { Global, Module } from '@nestjs/common';
import { AuditTrail } from './audit-trail';
import { AuditController } from './audit.controller';
import { AuditService } from './audit.service';

@Global()
@Module({ controllers: [AuditController], providers: [AuditTrail, AuditService], exports: [AuditTrail] })
export class AuditModule {}
