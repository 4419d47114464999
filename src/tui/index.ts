/** The terminal UI as the command line opens it. */
export { CrashError, inspect, type InspectOptions } from './mount.tsx';
export type { ThemeName } from './components/theme.tsx';
export type { Found } from './data/link.ts';
export type { Place, Setup } from './state/model.ts';
