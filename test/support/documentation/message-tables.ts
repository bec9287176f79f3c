import { apiNames } from '../../../src/api-names.ts'
import { code, table } from './markdown.ts'
import { type ApiMessage, messagesOf } from './messages.ts'

const messages: Readonly<Record<string, readonly ApiMessage[]>> = Object.fromEntries(
  await Promise.all(apiNames.map(async (api) => [api, await messagesOf(api)] as const)),
)

function messageTable(api: string): string {
  const rows = (messages[api] ?? []).map(({ rule, kind, text, vendor }) => [
    code(rule),
    kind,
    code(text),
    vendor === '' ? '' : code(vendor),
  ])
  return table(['Rule', 'Kind', 'Text', 'Text of the vendor dialect'], rows)
}

/** Generated parts of the error reference: one table for each API. */
export const errorParts: Readonly<Record<string, readonly [string, () => string]>> =
  Object.fromEntries(
    apiNames.map((api) => [`texts-${api}`, ['docs/reference/errors.md', () => messageTable(api)]]),
  )
