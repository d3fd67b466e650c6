import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { MoonIcon, SunIcon } from '../parts/icons';

export function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const shown = useComputedColorScheme('light');
  const other = shown === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon variant="default" size={30} onClick={() => setColorScheme(other)} aria-label={`Use the ${other} theme`}>
      {other === 'dark' ? <MoonIcon /> : <SunIcon />}
    </ActionIcon>
  );
}
