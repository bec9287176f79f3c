import { apiNames } from '../api-names.ts'

/** Product that each API mocks. */
const products = {
  secrets: 'Vault, OpenBao',
  platform: 'Terraform Enterprise',
  mesh: 'Consul',
  scheduler: 'Nomad',
} as const

/**
 * Returns the lines that are useful to copy after a start by hand: addresses, tokens, and the
 * variables of the products' own clients.
 *
 * @param environment variables of the default world
 * @param inspector address of the inspector, if there is one
 */
export function bannerText(
  environment: Readonly<Record<string, string>>,
  dialect: 'neutral' | 'vendor',
  inspector?: string,
): string {
  const apis = apiNames.map((name) => {
    const prefix = `UNDERSTUDY_${name.toUpperCase()}`
    const token = environment[`${prefix}_TOKEN`]
    return [name, products[name], environment[`${prefix}_URL`] ?? '', `token ${token}`]
  })
  const rows = [
    ...apis,
    ['control', '/_mock', environment['UNDERSTUDY_CONTROL_URL'] ?? '', ''],
    ...(inspector === undefined ? [] : [['inspector', '', inspector, '']]),
  ]
  const clients =
    dialect === 'vendor'
      ? exportLines(environment)
      : ["The products' own clients need --vendor, or --dialect vendor."]
  return ['', ...alignColumns(rows), '', ...clients, ''].map((line) => `${line}\n`).join('')
}

function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(width(at)))
      .join('  ')
      .trimEnd(),
  )
}

/** Returns the variables as one line per product, by the first word of their names. */
function exportLines(environment: Readonly<Record<string, string>>): readonly string[] {
  const lines = new Map<string, string[]>()
  for (const [name, value] of Object.entries(environment)) {
    const [product = ''] = name.split('_')
    if (product === 'UNDERSTUDY') continue
    const quoted = /^[\w./:@%+,-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
    lines.set(product, [...(lines.get(product) ?? []), `${name}=${quoted}`])
  }
  return [...lines.values()].map((settings) => `export ${settings.join(' ')}`)
}
