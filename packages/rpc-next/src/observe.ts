export const observeCalls = (_observe: unknown): undefined => undefined;
