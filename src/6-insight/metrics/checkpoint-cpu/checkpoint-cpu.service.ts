import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { sliceOf, type Page } from '../../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { DEFAULT_HOURS, type CheckpointCpuQuery, type CheckpointCpuView } from './checkpoint-cpu.dto';
import { checkpointCpu } from './checkpoint-cpu.queries';
import { HOUR_MS, windowUpToNow } from '../metric-window.queries';

@Injectable()
export class CheckpointCpuService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: CheckpointCpuQuery): Promise<Page<CheckpointCpuView>> {
    const { hours = DEFAULT_HOURS } = query;
    return this.unitOfWork.read(context, async (tx) =>
      checkpointCpu(tx, await windowUpToNow(tx, hours * HOUR_MS), sliceOf(query)),
    );
  }
}
