import { isJsonObject, type Json } from '../../kernel/json.ts'
import { refuse } from './messages.ts'

/**
 * Reads the remarks of a secret id: a JSON object of texts as text, the same in base64, or pairs
 * `k=v` with commas between (behaviour/secrets#approle-secret-ids).
 */
export function parseMetadata(input: string): Readonly<Record<string, string>> {
  const text = decoded(input).trim()
  if (text === '') return {}
  return textsIn(text) ?? pairsIn(text)
}

function decoded(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  return text !== '' && bytes.toString('base64') === text ? bytes.toString('utf8') : text
}

function textsIn(text: string): Readonly<Record<string, string>> | undefined {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : undefined
}

function pairsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', value, ...more] = pair.trim().split('=')
      if (value === undefined || more.length > 0) throw refuse('approle-metadata-unreadable')
      return [name.trim(), value.trim()]
    }),
  )
}
