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
 * Returns a decoded JSON value as Go's `%v` prints it: `map[a:1 b:2]`, `[1 2]`, `<nil>`, strings
 * without quotes.
 */
export function formatGoValue(value: Json): string {
  return printJson(value, goValueStyle)
}
