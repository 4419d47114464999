/** The result of an action: its outcome for each row, or a credential that is shown once. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { printable, wrapped } from '../../kernel/terminal-text.ts';
import { overlayHeight } from '../state/geometry.ts';
import type { Overlay, Size } from '../state/model.ts';
import { resultLines } from '../state/result-text.ts';
import { useTheme } from './theme.tsx';

export function Results({
  overlay,
  size,
}: {
  readonly overlay: Extract<Overlay, { kind: 'results' }>;
  readonly size: Size;
}): ReactNode {
  const theme = useTheme();
  const { results, title } = overlay;
  const height = overlayHeight(size) - 1;
  const all = resultLines(results, size);
  const from = Math.max(0, Math.min(overlay.top, all.length - height));
  return (
    <Box flexDirection="column">
      <Text {...theme.title} wrap="truncate">
        {printable(title)}
      </Text>
      {all.slice(from, from + height).map(({ isDone, text }, index) => (
        <Text key={index} {...(isDone ? theme.good : theme.bad)} wrap="truncate">
          {text}
        </Text>
      ))}
    </Box>
  );
}

export function Secret({
  overlay,
  size,
}: {
  readonly overlay: Extract<Overlay, { kind: 'secret' }>;
  readonly size: Size;
}): ReactNode {
  const theme = useTheme();
  const { title, secret, lines } = overlay;
  const below = [...lines, 'y copies it, escape closes it.'];
  return (
    <Box flexDirection="column">
      <Text {...theme.title} wrap="truncate">
        {printable(title)}
      </Text>
      {wrapped(printable(secret), size.columns - 4).map((line, index) => (
        <Text key={index} {...theme.secret} wrap="truncate">{`  ${line}  `}</Text>
      ))}
      {below
        .flatMap((line) => wrapped(printable(line), size.columns - 4))
        .map((line, index) => (
          <Text key={index} wrap="truncate">{`  ${line}`}</Text>
        ))}
    </Box>
  );
}
