export { faultHandlers } from './handlers.ts';
export { createFaults, type FaultedRequest, type FaultRule, type Faults } from './service.ts';
