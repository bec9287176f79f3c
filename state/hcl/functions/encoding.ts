import { isUtf8 } from 'node:buffer'
import { quoteGo } from '../../go/text.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import type { HclSequence } from '../language/values.ts'
import { type FunctionTable, listOf, normalize, textFunction } from './arguments.ts'

/** Functions that encode and decode strings (behaviour/scheduler#functions). */
export const encodingFunctions: FunctionTable = {
  base64decode: textFunction('str', (text, { spend }) => {
    spend(text.length)
    return decodeBase64(text)
  }),
  base64encode: textFunction('str', (text, { spend }) => {
    spend(2 * text.length)
    return Buffer.from(text).toString('base64')
  }),
  csvdecode: textFunction('str', (text, { spend }) => {
    spend(2 * text.length)
    return decodeCsv(text, spend)
  }),
  urlencode: textFunction('str', (text, { spend }) => {
    spend(3 * text.length)
    return escapeQuery(text)
  }),
}

function decodeBase64(text: string): string {
  const digits = text.replace(/[\r\n]/g, '')
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw new FunctionError(`failed to decode base64 data '${text}'`)
  }
  const bytes = Buffer.from(digits, 'base64')
  if (isUtf8(bytes)) return bytes.toString()
  throw new FunctionError('the result of decoding the the provided string is not valid UTF-8')
}

/**
 * Escapes a string as Go's url.QueryEscape does. Blanks become plus signs, and every character
 * except letters, digits and `-_.~` becomes escaped bytes.
 */
function escapeQuery(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

/** A row of CSV. The row consists of several lines if quoted fields contain line ends. */
interface CsvRecord {
  readonly fields: readonly string[]
  /** Number of the first line, from 1. */
  readonly line: number
}

/**
 * Returns the rows of a table as objects, with the names in the first row as keys.
 *
 * @throws FunctionError for a missing header, a repeated column name and invalid CSV
 */
function decodeCsv(text: string, spend: HclFunctionContext['spend']): HclSequence {
  const records = readRecords(text)
  const header = records.next()
  if (header.done) throw new FunctionError('missing header line')
  const names = header.value.fields.map(normalize)
  const columnNames = new Set<string>()
  for (const name of names) {
    if (columnNames.has(name)) throw new FunctionError(`duplicate column name ${quoteGo(name)}`)
    columnNames.add(name)
  }
  const rows = []
  for (const { fields, line } of records) {
    if (fields.length !== names.length) throw csvError(line, 'wrong number of fields')
    spend(fields.length)
    const entries = names.map((name, index) => [name, normalize(fields[index] ?? '')] as const)
    rows.push({ kind: 'object', entries: new Map(entries) } as const)
  }
  return listOf(rows)
}

function csvError(line: number, why: string): FunctionError {
  return new FunctionError(`CSV parse error on line ${line}: ${why}`)
}

/**
 * Splits a string into lines. Each line keeps its line feed. As in Go, `\r\n` becomes a line feed,
 * and a `\r` at the end of the string is dropped.
 */
function splitLines(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n').split(/(?<=\n)/)
  const last = lines.at(-1)
  if (last?.endsWith('\r')) lines[lines.length - 1] = last.slice(0, -1)
  return lines
}

function* readRecords(text: string): Generator<CsvRecord, undefined> {
  const lines = text === '' ? [] : splitLines(text)
  for (let at = 0; at < lines.length; at++) {
    const start = at
    let rest = lines[at] ?? ''
    if (rest === '\n' || rest === '') continue
    const fields: string[] = []
    for (let more = true; more; ) {
      if (!rest.startsWith('"')) {
        const [field = ''] = /^[^,\n]*/.exec(rest) ?? []
        if (field.includes('"')) throw csvError(at + 1, 'bare " in non-quoted-field')
        fields.push(field)
        more = rest[field.length] === ','
        rest = rest.slice(field.length + 1)
        continue
      }
      let field = ''
      rest = rest.slice(1)
      for (let end = endOfQuoted(rest); ; end = endOfQuoted(rest)) {
        if (end >= 0) {
          field += rest.slice(0, end).replaceAll('""', '"')
          rest = rest.slice(end + 1)
          break
        }
        field += rest.replaceAll('""', '"')
        at += 1
        const next = lines[at]
        if (next === undefined) throw csvError(at, 'extraneous or missing " in quoted-field')
        rest = next
      }
      fields.push(field)
      more = rest.startsWith(',')
      if (!more && rest !== '' && rest !== '\n') {
        throw csvError(at + 1, 'extraneous or missing " in quoted-field')
      }
      rest = rest.slice(1)
    }
    yield { fields, line: start + 1 }
  }
}

/**
 * Returns the offset of the quote that closes a field; two quotes in a row do not close it. Returns
 * -1 if the field continues on the next line.
 */
function endOfQuoted(text: string): number {
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  return -1
}
