import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wording } from '../../../state/kernel/message.ts'
import type { MessageTable } from '../../../state/kernel/refusal.ts'
import { fileOf } from '../files.ts'

/** Message of an API in the message tables. */
export interface ApiMessage {
  readonly rule: string
  /** Kind of the refusal; empty for warnings, and for parts of other messages. */
  readonly kind: string
  /** Text with parameters: `path is already in use at {path}`. */
  readonly text: string
  /** Text in the vendor dialect; empty if it is equal to `text`. */
  readonly vendor: string
}

/** Folders outside an API's own folders whose messages only this API returns, by API. */
const otherFolders: Readonly<Record<string, readonly string[]>> = { scheduler: ['state/filter'] }

/**
 * Returns the paths of an API's modules with a message table, relative to the root of the project.
 */
export function modulesWithMessages(api: string): readonly string[] {
  return [`state/${api}`, `routes/${api}`, ...(otherFolders[api] ?? [])].flatMap((folder) =>
    modulesWith(folder, '= defineMessages('),
  )
}

/**
 * Searches a folder at any depth for `.ts` files that contain a string, and returns their paths.
 */
function modulesWith(folder: string, text: string): readonly string[] {
  return readdirSync(fileOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .filter((file) => readFileSync(fileOf(file), 'utf8').includes(text))
    .sort()
}

/**
 * Returns the wording that a module of an API's routes exports for the vendor dialect; empty if no
 * module exports one.
 */
async function vendorWordingOf(api: string): Promise<Wording> {
  const [file] = modulesWith(`routes/${api}`, 'export const vendorMessages')
  if (file === undefined) return {}
  const module: { readonly vendorMessages?: Wording } = await import(fileOf(file))
  return module.vendorMessages ?? {}
}

function isTable(value: unknown): value is MessageTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((entry) => typeof entry?.text === 'string')
  )
}

/** Returns the message tables that a module exports. */
export async function tablesOf(file: string): Promise<readonly MessageTable[]> {
  const module: Readonly<Record<string, unknown>> = await import(fileOf(file))
  return Object.values(module).filter(isTable)
}

/** Returns every message of an API once, sorted by rule. */
export async function messagesOf(api: string): Promise<readonly ApiMessage[]> {
  const wording = await vendorWordingOf(api)
  const tables = (await Promise.all(modulesWithMessages(api).map(tablesOf))).flat()
  const messages = new Map<string, ApiMessage>()
  for (const [rule, { kind = '', text }] of tables.flatMap((table) => Object.entries(table))) {
    messages.set(`${rule} ${text}`, { rule, kind, text, vendor: wording[rule] ?? '' })
  }
  return [...messages.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1))
}
