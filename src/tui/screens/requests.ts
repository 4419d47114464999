import type { ScreenDefinition } from './definition.ts';

export const requestsScreen: ScreenDefinition = {
  name: 'requests',
  title: () => 'requests',
  panes: [],
};

export const requestScreen: ScreenDefinition = {
  name: 'request',
  title: () => 'request',
  panes: [],
};

export const proxyScreen: ScreenDefinition = {
  name: 'proxy',
  title: () => 'proxy',
  panes: [],
};
