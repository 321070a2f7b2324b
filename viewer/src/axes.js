// Round numbers for the axes of plots.

/** About `wanted` round values from low to high, 1, 2 or 5 times a power of ten apart. */
export function ticks(low, high, wanted) {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  const rough = (high - low) / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(factor => factor * power >= rough * 0.999) * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

/** As short as the distance between ticks allows: 0.25, 1200, 3e-6. */
export function tickLabel(value, step) {
  if (Math.abs(value) < 1e-9 * step) return '0';
  if (Math.abs(value) >= 1e5 || step < 1e-4) return value.toExponential(step < Math.abs(value) / 10 ? 1 : 0).replace('e+', 'e');
  return value.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))));
}
