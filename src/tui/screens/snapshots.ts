import type { ScreenDefinition } from './definition.ts';

export const snapshotsScreen: ScreenDefinition = {
  name: 'snapshots',
  title: () => 'snapshots',
  panes: [],
};
