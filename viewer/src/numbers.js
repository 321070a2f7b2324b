/** Four digits, in powers of ten where that is shorter: 0.001234, 12.34, 1.2e-9. */
export function shortNumber(value) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(4)));
  return value.toExponential(2).replace(/\.?0*e\+?/, 'e');
}

/** Components to four digits of the largest one, so that rounding noise beside it reads as 0. */
export function shortVector(vector) {
  const largest = Math.max(...vector.map(Math.abs));
  if (!(largest > 0)) return vector.map(shortNumber);
  const unit = 10 ** (Math.floor(Math.log10(largest)) - 4);
  return vector.map(x => shortNumber(Math.round(x / unit) * unit));
}
