/** What is used of the package, which has no types of its own. */
declare module 'pngjs' {
  export const PNG: {
    sync: {
      /** Decodes an image: four bytes for each pixel, red, green, blue and alpha. */
      read(image: Buffer): { width: number; height: number; data: Buffer };
    };
  };
}
