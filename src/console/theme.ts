/** Dark or light: as the system is set, until somebody chooses. */
import { useEffect, useState } from 'react';

const KEPT = 'kyclone-console-theme';
type Theme = 'dark' | 'light';

export function useTheme(): { readonly theme: Theme; readonly toggle: () => void } {
  const [chosen, setChosen] = useState<Theme | undefined>(() => {
    const kept = localStorage.getItem(KEPT);
    return kept === 'dark' || kept === 'light' ? kept : undefined;
  });
  useEffect(() => {
    if (chosen === undefined) return;
    document.documentElement.dataset['theme'] = chosen;
    localStorage.setItem(KEPT, chosen);
  }, [chosen]);
  const theme = chosen ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
  return { theme, toggle: () => setChosen(theme === 'dark' ? 'light' : 'dark') };
}
