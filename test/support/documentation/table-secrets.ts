import { services } from '../../../src/services.ts'
import { kernelTables } from '../../../state/kernel/worlds/document.ts'

/** Path of the inspector's module with the secrets that the tables declare. */
export const tableSecretsModule = 'inspector/pure/table-secrets.ts'

/**
 * Returns the text of `tableSecretsModule`, which exists because the page cannot import the
 * declarations themselves.
 */
export function tableSecretsText(): string {
  const tables = [...services.flatMap(({ state }) => state.tables), ...kernelTables]
  const lines = tables.flatMap(({ id, secrets }) => {
    if (secrets === 'none') return []
    const members = secrets.members.map((member) => `'${member}'`).join(', ')
    const key = secrets.key === true ? 'key: true, ' : ''
    return [line(id, key, members)]
  })
  return [
    '/** Secrets of a table: its keys, and locations within its rows. */',
    'interface TableSecrets {',
    '  readonly key?: true',
    '  readonly members: readonly string[]',
    '}',
    '',
    '/** Secrets that the tables declare, by `service.table`. Written by `npm run docs`. */',
    'export const tableSecrets: Readonly<Record<string, TableSecrets>> = {',
    ...lines,
    '}',
    '',
  ].join('\n')
}

/**
 * Returns the entry of a table, split into several lines if it exceeds the formatter's line width.
 */
function line(id: string, key: string, members: string): string {
  const text = `  '${id}': { ${key}members: [${members}] },`
  if (text.length <= 100) return text
  const list = `    ${key}members: [${members}],`
  if (list.length <= 100) return `  '${id}': {\n${list}\n  },`
  const items = members.split(', ').map((member) => `      ${member},`)
  return `  '${id}': {\n    ${key}members: [\n${items.join('\n')}\n    ],\n  },`
}
