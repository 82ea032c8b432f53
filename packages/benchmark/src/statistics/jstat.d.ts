// jstat has no types. These are for the part that is used.
declare module 'jstat' {
  const jstat: {
    readonly studentt: { inv(p: number, degreesOfFreedom: number): number };
    readonly normal: { inv(p: number, mean: number, standardDeviation: number): number };
  };
  export default jstat;
}
