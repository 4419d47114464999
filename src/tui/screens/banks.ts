import type { ScreenDefinition } from './definition.ts';

export const banksScreen: ScreenDefinition = {
  name: 'banks',
  title: () => 'banks',
  panes: [],
};

export const bankScreen: ScreenDefinition = {
  name: 'bank',
  title: () => 'bank',
  panes: [],
};
