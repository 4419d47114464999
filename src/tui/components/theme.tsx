/** Colours by meaning. Without colour no information is lost: the selection has a mark, and errors have words. */
import { createContext, useContext, type ReactNode } from 'react';
import { Text, type TextProps } from 'ink';
import type { Tone } from '../state/model.ts';

export type ThemeName = 'dark' | 'light' | 'none';

type Look = Pick<TextProps, 'color' | 'backgroundColor' | 'dimColor' | 'bold' | 'inverse'>;
export type Theme = Readonly<Record<Tone | 'selected' | 'title' | 'tab' | 'cursor' | 'live', Look>>;

const PLAIN: Look = {};

/**
 * Themes of the terminal's sixteen colours, which the user has made readable. Yellow and cyan are unreadable on
 * white.
 */
export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    plain: PLAIN,
    dim: { dimColor: true },
    good: { color: 'green' },
    warn: { color: 'yellow' },
    bad: { color: 'red' },
    accent: { color: 'cyan' },
    secret: { color: 'black', backgroundColor: 'yellow' },
    selected: { inverse: true },
    cursor: { inverse: true },
    title: { bold: true },
    tab: { bold: true, color: 'cyan' },
    live: { bold: true, color: 'white', backgroundColor: 'red' },
  },
  light: {
    plain: PLAIN,
    dim: { color: 'blackBright' },
    good: { color: 'green' },
    warn: { color: 'magenta' },
    bad: { color: 'red' },
    accent: { color: 'blue' },
    secret: { color: 'white', backgroundColor: 'blue' },
    selected: { inverse: true },
    cursor: { inverse: true },
    title: { bold: true },
    tab: { bold: true, color: 'blue' },
    live: { bold: true, color: 'white', backgroundColor: 'red' },
  },
  none: {
    plain: PLAIN,
    dim: PLAIN,
    good: PLAIN,
    warn: PLAIN,
    bad: PLAIN,
    accent: PLAIN,
    secret: PLAIN,
    selected: PLAIN,
    cursor: PLAIN,
    title: PLAIN,
    tab: PLAIN,
    live: PLAIN,
  },
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
