/** Types of messages in the stream of an instance (contract §11). */
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
