import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vendorMessages as meshVendorTexts } from '../../../routes/mesh/dialect.ts'
import { vendorMessages as schedulerVendorTexts } from '../../../routes/scheduler/dialect.ts'
import { vendorMessages as secretsVendorTexts } from '../../../routes/secrets/dialect/dialect.ts'
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
  /** Text of the vendor; empty if it is equal. */
  readonly vendor: string
}

const vendorColumns: Readonly<Record<string, Wording>> = {
  secrets: secretsVendorTexts,
  platform: {},
  mesh: meshVendorTexts,
  scheduler: schedulerVendorTexts,
}

/** Folders outside an API's own whose messages only this API returns. */
const otherFolders: Readonly<Record<string, readonly string[]>> = { scheduler: ['state/filter'] }

/**
 * Returns the modules of an API that have a message table, by their paths from the root of the
 * project.
 */
export function modulesWithMessages(api: string): readonly string[] {
  return [`state/${api}`, `routes/${api}`, ...(otherFolders[api] ?? [])].flatMap((folder) =>
    readdirSync(fileOf(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name))
      .filter((file) => readFileSync(fileOf(file), 'utf8').includes('= defineMessages('))
      .sort(),
  )
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

/** Returns every message of an API once, by rule. */
export async function messagesOf(api: string): Promise<readonly ApiMessage[]> {
  const column = vendorColumns[api] ?? {}
  const tables = (await Promise.all(modulesWithMessages(api).map(tablesOf))).flat()
  const messages = new Map<string, ApiMessage>()
  for (const [rule, { kind = '', text }] of tables.flatMap((table) => Object.entries(table))) {
    messages.set(`${rule} ${text}`, { rule, kind, text, vendor: column[rule] ?? '' })
  }
  return [...messages.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1))
}
