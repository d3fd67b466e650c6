import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useEscape } from './escape';
import styles from './side-drawer.module.css';

interface SideDrawerProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** One row of a list, beside the list, which stays where it is. The address names the open row. */
export function SideDrawer({ title, isOpen, close, children }: SideDrawerProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  useEscape(isOpen, close);
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      closeOnEscape={false}
      position="right"
      size={isNarrow ? '100%' : '32rem'}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ title: styles.title }}
    >
      {children}
    </Drawer>
  );
}
