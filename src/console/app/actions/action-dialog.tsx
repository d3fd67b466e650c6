import { Button, Modal, Stack, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import {
  createContext,
  Fragment,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { queryClient } from '../api/query-client';
import { useEscape } from '../parts/layers/escape';
import { Problem } from '../parts/states';
import { usePermission, type GuardedOperation } from '../session/who';
import styles from './action-dialog.module.css';
import { newOnce, type Once } from './once';

interface ActionDialogProps {
  readonly operation: GuardedOperation;
  /** On the button: a verb. */
  readonly verb: string;
  readonly title: string;
  /** A `Plan`, or a form that renders one. It is mounted anew each time the dialog opens. */
  readonly children: ReactNode;
  /** Why it makes no sense now, whatever the role. */
  readonly impossible?: string | undefined;
  /**
   * First word of the query keys of what it changes. After a success, that is read again when the dialog has
   * closed: a row that leaves its list takes its dialog with it. After a failure, at once.
   */
  readonly changes?: string | undefined;
  /** Stands in place of the button when nothing is left to do. The dialog stays until the user closes it. */
  readonly instead?: ReactNode;
  /** Width of a dialog that has more than sentences. */
  readonly size?: string;
}

interface OpenDialog {
  readonly verb: string;
  readonly changes: string | undefined;
  readonly isPending: boolean;
  readonly setPending: (isPending: boolean) => void;
  readonly setHeld: (isHeld: boolean) => void;
  readonly setFilled: (isFilled: boolean) => void;
  readonly close: () => void;
}

const OpenDialogContext = createContext<OpenDialog | undefined>(undefined);

/** A button, and a dialog that first says what will happen, and then shows what happens. */
export function ActionDialog(props: ActionDialogProps) {
  const { operation, verb, title, children, impossible, changes, instead, size } = props;
  const permission = usePermission(operation);
  const allowed = permission.allowed && impossible === undefined;
  const reason = permission.reason ?? impossible;
  const [isOpen, setOpen] = useState(false);
  const [opening, setOpening] = useState(0);
  const [isPending, setPending] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const [isFilled, setFilled] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const open = () => {
    setOpening(opening + 1);
    setOpen(true);
  };
  // Whoever leaves before the answer does not learn that it happened, and asks again.
  const close = () => {
    setOpen(isPending);
    setAsking(false);
  };
  // What is sent, or was taken away, is not there to be discarded.
  const isAskable = isFilled && !isPending;
  if (isAsking && !isAskable) setAsking(false);
  // A key or a click beside the dialog may be a mistake; a button is none.
  const leave = () => {
    if (isHeld) return;
    if (isAskable) setAsking(!isAsking);
    else close();
  };
  useEscape(isOpen, leave);
  return (
    <>
      {instead || (
        <>
          <Tooltip label={reason} disabled={allowed} events={{ hover: true, focus: true, touch: true }}>
            <Button
              size="xs"
              variant="default"
              // Not `disabled`: then nobody could focus it and read why.
              aria-disabled={!allowed}
              data-disabled={!allowed || undefined}
              onClick={allowed ? open : undefined}
            >
              {verb} …
            </Button>
          </Tooltip>
          {!allowed && <span className={styles.reason}>{reason}</span>}
        </>
      )}
      <Modal
        opened={isOpen}
        onClose={leave}
        title={title}
        size={size}
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': 'Close', disabled: isPending, onClick: close }}
      >
        {isAsking && <DiscardQuestion discard={close} keep={() => setAsking(false)} />}
        <OpenDialogContext value={{ verb, changes, isPending, setPending, setHeld, setFilled, close }}>
          <Fragment key={opening}>{children}</Fragment>
        </OpenDialogContext>
      </Modal>
    </>
  );
}

/** It is above the form, in sight however far the form was scrolled. */
function DiscardQuestion({ discard, keep }: { discard: () => void; keep: () => void }) {
  const keeping = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    keeping.current?.focus();
    // Where the user was in the form.
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div role="alertdialog" aria-label="Discard what you entered?" className={`${styles.notice} ${styles.question}`}>
      <strong>Discard what you entered?</strong>
      <div className={styles.buttons}>
        <Button size="xs" variant="default" onClick={discard}>
          Discard
        </Button>
        <Button ref={keeping} size="xs" onClick={keep}>
          Keep it
        </Button>
      </div>
    </div>
  );
}

/** As long as this is shown, only a button closes the dialog: what it shows is nowhere else. */
export function useHeldDialog(): void {
  const hold = useContext(OpenDialogContext)?.setHeld;
  useEffect(() => {
    hold?.(true);
    return () => hold?.(false);
  }, [hold]);
}

interface PlanProps<Asked> {
  /** What will happen, in sentences, and how the user may change it. */
  readonly children: ReactNode;
  /**
   * @param once makes the header of a request that creates something
   * @returns what the service answered: the id of an action, or another object that can be watched
   */
  readonly act: (once: Once) => Promise<Asked>;
  /** Shows what becomes of it, as it happens. */
  readonly outcome: (asked: Asked, close: () => void) => ReactNode;
  /** What the user must still fill in. */
  readonly missing?: string | undefined;
}

/** What an action will do, until it is confirmed, and then what becomes of it. */
export function Plan<Asked>({ children, act, outcome, missing }: PlanProps<Asked>) {
  const dialog = useContext(OpenDialogContext);
  if (dialog === undefined) throw new Error('a plan is shown in a dialog');
  const { verb, changes, isPending, setPending, close } = dialog;
  const [once] = useState(newOnce);
  const reread = useReread(changes);
  const action = useMutation({
    mutationFn: () => act(once),
    onSettled: (_, error) => {
      setPending(false);
      // Without an answer, it may have happened.
      if (error) reread.now();
      else reread.whenClosed();
    },
  });
  const confirm = () => {
    setPending(true);
    action.mutate();
  };
  // Not by its data: some operations answer nothing.
  if (action.isSuccess) return outcome(action.data, close);
  return (
    <Stack gap="md">
      <Fields setFilled={dialog.setFilled}>{children}</Fields>
      {action.isError && <Problem error={action.error} />}
      {missing !== undefined && <p className={styles.missing}>{missing}</p>}
      <div className={styles.buttons}>
        <Button variant="default" disabled={isPending} onClick={close}>
          Cancel
        </Button>
        <Button loading={isPending} disabled={missing !== undefined} onClick={confirm}>
          {verb}
        </Button>
      </div>
    </Stack>
  );
}

/** What an option, a day or a row of a form is chosen with, also in a list that opens elsewhere. */
const CHOOSES = 'button, [role=option]';

/** Notes whether the user has entered something, for as long as it can be sent. */
function Fields({ children, setFilled }: { children: ReactNode; setFilled: (isFilled: boolean) => void }) {
  useEffect(() => () => setFilled(false), [setFilled]);
  const noteChoice = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest(CHOOSES)) setFilled(true);
  };
  return (
    <div className={styles.plan} onChangeCapture={() => setFilled(true)} onClickCapture={noteChoice}>
      {children}
    </div>
  );
}

/** Reads again what has changed, also if the page was left before the answer came. */
function useReread(changes: string | undefined) {
  const isShown = useRef(false);
  const isDue = useRef(false);
  const now = useCallback(() => {
    if (changes !== undefined) void queryClient.invalidateQueries({ queryKey: [changes] });
  }, [changes]);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      if (isDue.current) now();
    };
  }, [now]);
  const whenClosed = () => {
    if (isShown.current) isDue.current = true;
    else now();
  };
  return { now, whenClosed };
}
