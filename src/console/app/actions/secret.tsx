import { Command } from '../parts/states';
import { useHeldDialog } from './action-dialog';
import { Done } from './done';

/** A key or token that was made just now. It is nowhere else, and never in the address. */
export function Secret({ what, text, use, close }: { what: string; text: string; use: string; close: () => void }) {
  useHeldDialog();
  return (
    <Done word="Created" close={close}>
      <p>
        <strong>Copy the {what} now.</strong> It is shown only here, and stored nowhere.
      </p>
      <Command text={text} />
      <p>{use}</p>
    </Done>
  );
}
