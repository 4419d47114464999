/** Colours by meaning. Without colour no information is lost: the selection has a mark, and errors have words. */
import { createContext, useContext, type ReactNode } from 'react';
import { Text, type TextProps } from 'ink';
import type { Tone } from '../state/model.ts';

export type ThemeName = 'dark' | 'light' | 'none';

type Look = Pick<TextProps, 'color' | 'backgroundColor' | 'dimColor' | 'bold' | 'inverse'>;
export type Theme = Readonly<Record<Tone | 'selected' | 'title' | 'tab' | 'cursor' | 'live', Look>>;

/** The same on any background. */
const EVERYWHERE = {
  plain: {},
  good: { color: 'green' },
  bad: { color: 'red' },
  selected: { inverse: true },
  cursor: { inverse: true },
  title: { bold: true },
  live: { bold: true, color: 'white', backgroundColor: 'red' },
} satisfies Partial<Theme>;
const DARK: Theme = {
  ...EVERYWHERE,
  dim: { dimColor: true },
  warn: { color: 'yellow' },
  accent: { color: 'cyan' },
  secret: { color: 'black', backgroundColor: 'yellow' },
  tab: { bold: true, color: 'cyan' },
};

/**
 * Themes of the terminal's sixteen colours, which the user has made readable. Yellow and cyan are unreadable on
 * white.
 */
export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  dark: DARK,
  light: {
    ...EVERYWHERE,
    dim: { color: 'blackBright' },
    warn: { color: 'magenta' },
    accent: { color: 'blue' },
    secret: { color: 'white', backgroundColor: 'blue' },
    tab: { bold: true, color: 'blue' },
  },
  none: Object.fromEntries(Object.keys(DARK).map((name) => [name, {}])) as Theme,
};

const ThemeContext = createContext<Theme>(THEMES.none);
export const ThemeProvider = ThemeContext.Provider;

export function useTheme(): Theme {
  return useContext(ThemeContext);
}

/** A line that ends at the edge of the window. */
export function Line({
  tone = 'plain',
  children,
}: {
  readonly tone?: keyof Theme;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Text {...useTheme()[tone]} wrap="truncate">
      {children}
    </Text>
  );
}
