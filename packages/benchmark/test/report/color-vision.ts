/**
 * Ways to see colours: as most do, and without the cones for red, green or blue. What reaches the eye as linear red, green and
 * blue is multiplied by nine factors, row by row, by the model of Machado and others (2009).
 */
export const VISIONS = {
  most: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** Returns how different two colours such as `#0969da` look: the distance in CIELAB, of which 2 can just be seen. */
export function colorDistance(a: string, b: string, vision: readonly number[]): number {
  const [from, to] = [labOf(a, vision), labOf(b, vision)];
  return Math.hypot(...from.map((value, i) => value - to[i]));
}

function labOf(color: string, matrix: readonly number[]): number[] {
  const linear = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const seen = (row: number) => linear.reduce((sum, each, i) => sum + each * matrix[3 * row + i], 0);
  const [r, g, b] = [0, 1, 2].map((row) => Math.min(1, Math.max(0, seen(row))));
  const [x, y, z] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
  ].map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
