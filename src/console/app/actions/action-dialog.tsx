import { Button, Modal, Stack, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryClient } from '../api/query-client';
import { Problem } from '../parts/states';
import { usePermission, type GuardedOperation } from '../session/who';
import styles from './action-dialog.module.css';

interface ActionDialogProps<Asked> {
  readonly operation: GuardedOperation;
  /** On the button: a verb. */
  readonly verb: string;
  readonly title: string;
  /** What will happen, in sentences, and how the user may change it. */
  readonly children: ReactNode;
  /** @returns what the service answered: the id of an action, or another object that can be watched */
  readonly act: () => Promise<Asked>;
  /** Shows what becomes of it, as it happens. */
  readonly outcome: (asked: Asked, close: () => void) => ReactNode;
  /** Why it makes no sense now, whatever the role. */
  readonly impossible?: string | undefined;
  /** What the user must still fill in. */
  readonly missing?: string | undefined;
  /**
   * First word of the query keys of what it changes. That is read again when the dialog closes: a row that
   * leaves its list takes its dialog with it.
   */
  readonly changes?: string | undefined;
  /** Stands in place of the button when nothing is left to do. The dialog stays until the user closes it. */
  readonly instead?: ReactNode;
  /** Width of a dialog that has more than sentences. */
  readonly size?: string;
}

/** A button, and a dialog that first says what will happen, and then shows what happens. */
export function ActionDialog<Asked>({
  operation,
  verb,
  title,
  children,
  act,
  outcome,
  impossible,
  missing,
  changes,
  instead,
  size,
}: ActionDialogProps<Asked>) {
  const permission = usePermission(operation);
  const allowed = permission.allowed && impossible === undefined;
  const reason = permission.reason ?? impossible;
  const [isOpen, { open, close }] = useDisclosure(false);
  const action = useMutation({ mutationFn: act });
  const show = () => {
    action.reset();
    open();
  };
  const leave = () => {
    close();
    if (action.isSuccess && changes !== undefined) void queryClient.invalidateQueries({ queryKey: [changes] });
  };
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
              onClick={allowed ? show : undefined}
            >
              {verb} …
            </Button>
          </Tooltip>
          {!allowed && <span className={styles.reason}>{reason}</span>}
        </>
      )}
      <Modal opened={isOpen} onClose={leave} title={title} size={size} closeButtonProps={{ 'aria-label': 'Close' }}>
        {action.data === undefined ? (
          <Stack gap="md">
            <div className={styles.plan}>{children}</div>
            {action.isError && <Problem error={action.error} />}
            {missing !== undefined && <p className={styles.missing}>{missing}</p>}
            <div className={styles.buttons}>
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button loading={action.isPending} disabled={missing !== undefined} onClick={() => action.mutate()}>
                {verb}
              </Button>
            </div>
          </Stack>
        ) : (
          outcome(action.data, leave)
        )}
      </Modal>
    </>
  );
}
