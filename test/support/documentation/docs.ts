import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { perWorldOperations } from '../../../routes/control/operations.ts'
import { processOperations } from '../../../routes/control/worlds/process-operations.ts'
import { PresetCatalog } from '../../../routes/faults/presets/catalog.ts'
import { secretsCoverage } from '../../../routes/secrets/coverage.ts'
import { apiNames } from '../../../src/api-names.ts'
import { flagTable } from '../../../src/cli/help.ts'
import { presetsOf, type Service, services } from '../../../src/services.ts'
import { controlOptions } from '../../../state/kernel/options/control-options.ts'
import { inputMembers } from '../../../state/kernel/shape/schema.ts'
import { fileOf, readDocument } from '../files.ts'
import { areaSummary, areaTable, capabilityLists, clientTable } from './compatibility.ts'
import { table, withRules } from './markdown.ts'
import { errorParts } from './message-tables.ts'
import { tableSecretsModule, tableSecretsText } from './table-secrets.ts'

export { fileOf, readDocument } from '../files.ts'

const guide = [
  'first-calls',
  'any-language',
  'disaster-recovery',
  'namespaces',
  'services',
  'test-runs',
  'jobs',
  'logins',
  'transit',
  'pki',
  'databases',
  'embedding',
  'fixtures',
  'control-plane',
  'faults',
  'journal',
  'reports',
  'explanations',
  'container',
  'worlds',
  'ports',
]

/** Lists of documents. The examples of each list run one after the other against one server. */
export const exampleChains: readonly (readonly string[])[] = [
  ['README.md'],
  guide.map((name) => `docs/guide/${name}.md`),
]

/** Operation of an API as a row of its table. */
interface Endpoint {
  readonly method: string
  /**
   * Full path. For the secrets API, path below `/v1` with the mount paths of a fresh world. A
   * parameter `:path` can contain slashes.
   */
  readonly path: string
  /** Path in the vendor dialect, if it differs. Only operations of the secrets API have one. */
  readonly vendorPath?: string
  readonly summary: string
  readonly spec: string
}

/**
 * Returns every operation of an API with its full path, including operations of the vendor dialect.
 */
function endpointsOf({ api }: Service): readonly Endpoint[] {
  const [neutral, vendor] = (['neutral', 'vendor'] as const).map(
    (dialect) => api(dialect).dedicated.coverage?.().operations ?? [],
  )
  const ids = new Set(neutral?.map(({ id }) => id))
  const added = vendor?.filter(({ id }) => !ids.has(id)) ?? []
  return [...(neutral ?? []), ...added].map(({ verb, ...operation }) => ({
    method: verb,
    ...operation,
  }))
}

/** Returns every operation that the engines of the secrets API declare, in their order. */
export function endpoints(): readonly Endpoint[] {
  const below = ({ path }: { readonly path: string }) => path.slice('/v1'.length)
  const vendor = secretsCoverage('vendor').operations.map(below)
  return secretsCoverage().operations.map(({ verb, path, summary, spec }, at) => ({
    method: verb,
    path: below({ path }),
    ...(vendor[at] !== below({ path }) && { vendorPath: vendor[at] ?? '' }),
    summary,
    spec,
  }))
}

function endpointTable(operations: readonly Endpoint[], place: string): string {
  const rows = operations.map(({ method, path, vendorPath, summary, spec }) => [
    method,
    vendorPath === undefined ? `\`${path}\`` : `\`${path}\` (vendor: \`${vendorPath}\`)`,
    summary,
    withRules(spec),
  ])
  return table(['Method', place, 'What it does', 'Rules'], rows)
}

function controlTable(): string {
  const world = perWorldOperations(services).map((operation) => ({ ...operation, perWorld: 'yes' }))
  const process = processOperations(apiNames).map((operation) => ({ ...operation, perWorld: '' }))
  const rows = [...process, ...world].map(({ method, path, summary, perWorld }) => [
    method,
    `\`${path}\``,
    summary,
    perWorld,
  ])
  return table(['Method', 'Path below `/_mock`', 'What it does', 'Per world'], rows)
}

/** Returns the type or the values that an option's schema allows, as Markdown. */
function allowedValues(
  schema: Readonly<Partial<Record<'type' | 'enum' | 'const' | 'anyOf', unknown>>>,
): string {
  const { anyOf, const: value, enum: values = value === undefined ? undefined : [value] } = schema
  if (Array.isArray(anyOf)) return anyOf.map(allowedValues).join(' or ')
  return Array.isArray(values)
    ? values.map((each) => `\`${JSON.stringify(each)}\``).join(' or ')
    : String(schema.type)
}

function optionTable(): string {
  const declared = [...services.map(({ state }) => state.options), controlOptions]
  const rows = declared.flatMap(({ service, schema, defaults }) => {
    const defaultValue: Readonly<Record<string, unknown>> = { ...defaults }
    return Object.entries(schema['properties'] ?? {}).map(([name, option]) => [
      `\`${service}.${name}\``,
      allowedValues(option),
      `\`${JSON.stringify(defaultValue[name])}\``,
      String(option.description),
    ])
  })
  return table(['Option', 'Value', 'Default', 'Meaning'], rows)
}

function presetTable(): string {
  const rows = new PresetCatalog(presetsOf(services)).all.map(
    ({ name, service, summary, parameters, source }) => {
      const parameterTexts = Object.entries(inputMembers(parameters)).map(
        ([parameter, { default: defaultValue, description }]) =>
          `\`${parameter}\` (\`${JSON.stringify(defaultValue)}\`): ${description}`,
      )
      return [`\`${name}\``, service, summary, parameterTexts.join('; '), withRules(source)]
    },
  )
  return table(['Name', 'API', 'What happens', 'Parameters (default)', 'Rules'], rows)
}

/** Endpoint tables of all APIs except the secrets API, whose paths depend on mounts. */
const endpointParts: Readonly<Record<string, readonly [string, () => string]>> = Object.fromEntries(
  services
    .filter(({ name }) => name !== 'secrets')
    .map((service) => [
      `${service.name}-endpoints`,
      [
        `docs/reference/${service.name}.md`,
        () => endpointTable(endpointsOf(service), 'Path'),
      ] as const,
    ]),
)

/**
 * Generated parts of documents, by the name in the markers of the part. Each entry has the document
 * and the function that returns the part's text.
 */
const parts: Readonly<Record<string, readonly [document: string, make: () => string]>> = {
  areas: ['README.md', areaSummary],
  'areas-all': ['docs/compatibility.md', areaTable],
  'clients-all': ['docs/compatibility.md', clientTable],
  capabilities: ['docs/compatibility.md', capabilityLists],
  ...errorParts,
  flags: ['docs/reference/flags.md', flagTable],
  options: ['docs/reference/options.md', optionTable],
  control: ['docs/reference/control-plane.md', controlTable],
  presets: ['docs/reference/presets.md', presetTable],
  endpoints: ['docs/reference/secrets.md', () => endpointTable(endpoints(), 'Path below `/v1`')],
  ...endpointParts,
}

/** Names of the generated parts, and the documents that contain them. */
export const generatedParts: readonly (readonly [name: string, document: string])[] =
  Object.entries(parts).map(([name, [document]]) => [name, document])

/**
 * Returns a document with its generated parts updated. Throws unless each part has exactly one
 * start marker and, after it, one end marker.
 *
 * @param document path from the root of the project
 */
export function withGeneratedParts(document: string, text: string): string {
  return Object.entries(parts).reduce((updated, [name, [where, render]]) => {
    if (where !== document) return updated
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
    const [before, rest, surplus] = updated.split(start)
    const [, after, second] = rest?.split(end) ?? []
    if (
      before === undefined ||
      after === undefined ||
      surplus !== undefined ||
      second !== undefined
    ) {
      throw new Error(`${document} needs one ${start} with one ${end} after it`)
    }
    return `${before}${start}\n\n${render()}\n\n${end}${after}`
  }, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { withOutput } = await import('./readme.ts')
  for (const document of new Set(generatedParts.map(([, where]) => where))) {
    writeFileSync(fileOf(document), withGeneratedParts(document, readDocument(document)))
  }
  writeFileSync(fileOf(tableSecretsModule), tableSecretsText())
  for (const chain of exampleChains) {
    const printed = await withOutput(chain.map(readDocument))
    for (const [at, document] of chain.entries()) writeFileSync(fileOf(document), printed[at] ?? '')
  }
}
