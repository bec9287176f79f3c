import { greatest } from '../../../state/kernel/lists.ts'
import { parseConfigText } from '../flags/product-config.ts'
import {
  argumentText,
  CommandFailure,
  type CommandOutput,
  flagOf,
  type ParsedArguments,
  type ProductCall,
  type ProductClient,
} from './product-call.ts'

/** Invocation of `consul`: a client of the server, and the parsed arguments. */
export interface ConsulCall {
  readonly server: ProductClient
  readonly productCall: ProductCall
  readonly args: ParsedArguments
}

export type ConsulCommand = (call: ConsulCall) => Promise<CommandOutput>

/**
 * Returns the positional argument at an index. Throws a `CommandFailure` with the usage if the
 * argument is missing.
 */
export function requiredWord({ args }: ConsulCall, at: number, usage: string): string {
  const word = args.positionals[at]
  if (word === undefined) throw new CommandFailure(`usage: consul ${usage}`)
  return word
}

/**
 * Returns the last value of a flag. Throws a `CommandFailure` with the usage if the flag is
 * missing.
 */
export function requiredFlag({ args }: ConsulCall, name: string, usage: string): string {
  const value = flagOf(args, name)
  if (value === undefined) throw new CommandFailure(`usage: consul ${usage}`)
  return value
}

/**
 * Returns the pairs of a flag whose values are `key=value`. A value without `=` is a key with an
 * empty value.
 */
export function pairsOf({ args }: ConsulCall, name: string): Record<string, string> {
  const pairs = (args.flags.get(name) ?? []).map((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
  })
  return Object.fromEntries(pairs)
}

/** Returns the members whose value is not undefined. */
export function definedMembers(
  members: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/**
 * Returns the query string, with its `?`, of the parameters that have a value; an empty string if
 * no parameter has a value.
 */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(definedMembers(parameters) as Record<string, string>).toString()
  return query === '' ? '' : `?${query}`
}

/**
 * Returns the text of the named file; `-` is standard input. Throws a `CommandFailure` if the file
 * cannot be read.
 */
export function fileText({ productCall }: ConsulCall, name: string): string {
  return argumentText(name === '-' ? name : `@${name}`, productCall)
}

/**
 * Parses a text in JSON or HCL into plain values. Throws a `CommandFailure` if the text is invalid.
 */
export function parseObjectText(text: string): unknown {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain)
    if (!(value instanceof Map)) return value
    return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]))
  }
  return plain(parseConfigText(text, (reason) => new CommandFailure(`failed to parse: ${reason}`)))
}

/** Formats rows as columns, two spaces apart, like the product's lists. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => greatest(rows.map((row) => (row[at] ?? '').length)))
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')
  return rows.map((row) => `${line(row)}\n`).join('')
}

/** Formats a value as the product's JSON, with four spaces per level. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 4)}\n`
}
