import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { code, table, withRules } from './markdown.ts'
import { type Extent, extentOf, missingOf, products, servedBy } from './product-areas.ts'

/** Outcome of one capability of a client in the client suites (`npm run test:clients`). */
interface CapabilityResult {
  readonly client: string
  readonly version: string
  readonly language: string
  readonly capability: string
  readonly outcome: string
}

function readResults(): readonly CapabilityResult[] {
  const file = fileURLToPath(new URL('../../clients/results.json', import.meta.url))
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Returns the results by client, in the order of the clients' names. */
function resultsByClient(): readonly (readonly [
  name: string,
  tried: readonly CapabilityResult[],
])[] {
  const byName = new Map<string, CapabilityResult[]>()
  for (const one of readResults()) {
    const name = [one.client, one.version, one.language].join(' | ')
    byName.set(name, [...(byName.get(name) ?? []), one])
  }
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1))
}

function passCount(capabilities: readonly CapabilityResult[]): string {
  return `${capabilities.filter(({ outcome }) => outcome === 'passed').length} of ${capabilities.length}`
}

/** Returns a table with the latest results of the client suites, by client. */
export function clientTable(): string {
  const rows = resultsByClient().map(([name, capabilities]) => {
    const [client = '', version = '', language = ''] = name.split(' | ')
    return [client, version || 'not recorded', language, passCount(capabilities)]
  })
  return table(['Client', 'Version', 'Language', 'Capabilities passed'], rows)
}

/** Returns every capability of every client, with its outcome if it did not pass. */
export function capabilityLists(): string {
  const parts = resultsByClient().map(([name, capabilities]) => {
    const [client = '', version = ''] = name.split(' | ')
    const lines = capabilities.map(({ capability, outcome }) => {
      return `- ${withRules(capability, '')}${outcome === 'passed' ? '' : `: **${outcome}**`}`
    })
    return [`### ${[client, version].join(' ').trim()}`, '', ...lines].join('\n')
  })
  return parts.join('\n\n')
}

/** Returns a table with the supported, partly supported and missing areas of each product. */
export function areaSummary(): string {
  const rows = products.map((product) => {
    const served = servedBy(product)
    const within = (extent: Extent) =>
      product.areas
        .filter((area) => extentOf(area, served) === extent)
        .map(({ name, limitation }) =>
          extent === 'partly' && limitation ? `${name} (${limitation})` : name,
        )
        .join(', ')
    return [product.name, within('yes'), within('partly'), within('no')]
  })
  return table(['', 'There', 'Partly', 'Not there'], rows)
}

/**
 * Returns a table of the areas of each product, with the extent of support, the missing operations
 * or the limitation, and the operations that the area requires.
 */
export function areaTable(): string {
  const rows = products.flatMap((product) => {
    const served = servedBy(product)
    return product.areas.map((area) => [
      product.name,
      area.name,
      extentOf(area, served),
      missingOf(area, served),
      area.requiredOperations.map(code).join(', '),
    ])
  })
  return table(['Product', 'Area', 'There', 'What is missing', 'Judged by'], rows)
}
