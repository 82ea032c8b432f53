// jstat ships no types: this is the part in use.
declare module 'jstat' {
  const jstat: {
    readonly studentt: { inv(p: number, degreesOfFreedom: number): number };
    readonly normal: { inv(p: number, mean: number, standardDeviation: number): number };
  };
  export default jstat;
}
