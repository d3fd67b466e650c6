import { InTransaction } from '../../1-platform/database/transactions/observers';

/** The id of a profile that was enabled or disabled. */
export class ProfileSwitched extends InTransaction<string> {}
