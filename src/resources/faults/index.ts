export { faultHandlers } from './handlers.ts';
export { createFaults, type FaultRule, type Faults } from './service.ts';
