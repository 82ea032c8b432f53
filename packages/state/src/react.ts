export { useFollow, useRecord, useRecords, useStatus, useUnsaved } from './react/hooks.ts';
export { usePresence } from './presence/react.ts';
