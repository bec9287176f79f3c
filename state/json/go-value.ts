import type { Json } from '../kernel/json.ts'
import { type JsonStyle, printJson } from './json.ts'

const goValueStyle: JsonStyle = {
  object: ['map[', ']'],
  array: ['[', ']'],
  separator: ' ',
  key: (key) => `${key}:`,
  scalar: (value) => (value === null ? '<nil>' : String(value)),
}

/**
 * Formats a decoded JSON value as Go's `%v` does: `map[a:1 b:2]`, `[1 2]`, `<nil>`; strings have no
 * quotes.
 */
export function formatGoValue(value: Json): string {
  return printJson(value, goValueStyle)
}
