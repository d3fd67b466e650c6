import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './workloads.module.css';

interface WorkloadDrawerProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** Beside the list, which stays where it is. The address names the open workload. */
export function WorkloadDrawer({ title, isOpen, close, children }: WorkloadDrawerProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size={isNarrow ? '100%' : '32rem'}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ title: styles.drawerTitle }}
    >
      {children}
    </Drawer>
  );
}
