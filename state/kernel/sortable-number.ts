/** Pads a whole number with zeros, so that the order of strings is the order of numbers. */
export function sortableNumber(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
