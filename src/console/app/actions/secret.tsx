import { Command } from '../parts/states';
import { Done } from './done';

/** A key or token that was made just now. It is nowhere else, and never in the address. */
export const Secret = ({ what, text, use, close }: { what: string; text: string; use: string; close: () => void }) => (
  <Done word="Created" close={close}>
    <p>
      <strong>Copy the {what} now.</strong> It is shown only here, and stored nowhere.
    </p>
    <Command text={text} />
    <p>{use}</p>
  </Done>
);
