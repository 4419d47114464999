/** Apart from the endpoint, for those who show what happens and know of no schemas. */
export const STREAM_TYPES = [
  'request',
  'access',
  'event',
  'delivery',
  'onboarding',
  'clock',
  'fault',
] as const;
export type StreamType = (typeof STREAM_TYPES)[number];
