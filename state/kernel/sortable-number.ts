/**
 * Pads a non-negative whole number with zeros to `digits` digits, so that strings sort as their
 * numbers do.
 */
export function sortableNumber(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
