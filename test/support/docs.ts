import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { processChoices } from '../../routes/control/choices.ts'
import { perWorldOperations } from '../../routes/control/operations.ts'
import { processOperations } from '../../routes/control/process-operations.ts'
import { presets } from '../../routes/faults/presets/all.ts'
import type { ApiCoverage } from '../../routes/http/coverage.ts'
import { meshChoices } from '../../routes/mesh/choices.ts'
import { meshCoverage } from '../../routes/mesh/coverage.ts'
import { platformChoices } from '../../routes/platform/choices.ts'
import { platformCoverage } from '../../routes/platform/coverage.ts'
import { schedulerChoices } from '../../routes/scheduler/choices.ts'
import { schedulerCoverage } from '../../routes/scheduler/coverage.ts'
import { secretsChoices } from '../../routes/secrets/choices/choices.ts'
import { secretsOperations } from '../../routes/secrets/coverage.ts'
import { apiNames } from '../../src/api-names.ts'
import { flagTable } from '../../src/flags.ts'
import { services } from '../../src/services.ts'
import { controlOptions } from '../../state/kernel/control-options.ts'
import { givenMembers } from '../../state/kernel/shape/schema.ts'
import { meshOptions } from '../../state/mesh/options.ts'
import { platformOptions } from '../../state/platform/options.ts'
import { schedulerOptions } from '../../state/scheduler/options.ts'
import { secretsOptions } from '../../state/secrets/options.ts'

/** The README, whose tables are generated. */
export const readmeFile = fileURLToPath(new URL('../../README.md', import.meta.url))

/** One operation of the secrets API as the table shows it. */
interface Endpoint {
  readonly method: string
  /** Below `/v1`, at the mounts of a fresh world; `:path` may hold slashes. */
  readonly path: string
  readonly summary: string
  readonly spec: string
}

/** Every operation of an API, paths from the origin. */
function endpointsOf({ operations }: ApiCoverage): readonly Endpoint[] {
  return operations.map(({ verb, ...operation }) => ({
    method: verb,
    ...operation,
  }))
}

/** Every operation that the engines of the secrets API declare, in their order. */
export function endpoints(): readonly Endpoint[] {
  return secretsOperations().map(({ verb, path, summary, spec }) => ({
    method: verb,
    path: path.slice('/v1'.length),
    summary,
    spec,
  }))
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

function endpointTable(operations: readonly Endpoint[], place: string): string {
  const rows = operations.map(({ method, path, summary, spec }) => [
    method,
    `\`${path}\``,
    summary,
    spec,
  ])
  return table(['Method', place, 'What it does', 'Specified in'], rows)
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

/** What an option's schema allows. */
function kindOf(schema: { readonly type?: unknown; readonly enum?: unknown }): string {
  return Array.isArray(schema.enum)
    ? schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
    : String(schema.type)
}

function optionTable(): string {
  const rows = [
    secretsOptions,
    platformOptions,
    meshOptions,
    schedulerOptions,
    controlOptions,
  ].flatMap(({ service, schema, defaults }) => {
    const usual: Readonly<Record<string, unknown>> = { ...defaults }
    return Object.entries(schema['properties'] ?? {}).map(([name, option]) => [
      `\`${service}.${name}\``,
      kindOf(option),
      `\`${JSON.stringify(usual[name])}\``,
      String(option.description),
    ])
  })
  return table(['Option', 'Value', 'Default', 'Meaning'], rows)
}

function choiceTable(): string {
  const rows = [
    ...secretsChoices,
    ...platformChoices,
    ...meshChoices,
    ...schedulerChoices,
    ...processChoices,
  ].map(({ id, about, choice, evidence, where }) => [`\`${id}\``, about, choice, evidence, where])
  return table(['Name', 'Question', 'What is done', 'Kind', 'Where'], rows)
}

function presetTable(): string {
  const rows = presets.map(({ name, service, summary, parameters, source }) => {
    const told = Object.entries(givenMembers(parameters)).map(
      ([parameter, { default: usual, description }]) =>
        `\`${parameter}\` (\`${JSON.stringify(usual)}\`): ${description}`,
    )
    return [`\`${name}\``, service, summary, told.join('; '), source]
  })
  return table(['Name', 'API', 'What happens', 'Parameters (default)', 'Specified in'], rows)
}

/** The generated parts of the README by the name in their markers. */
const parts: Readonly<Record<string, () => string>> = {
  flags: flagTable,
  endpoints: () => endpointTable(endpoints(), 'Path below `/v1`'),
  'platform-endpoints': () => endpointTable(endpointsOf(platformCoverage()), 'Path'),
  'mesh-endpoints': () => endpointTable(endpointsOf(meshCoverage()), 'Path'),
  'scheduler-endpoints': () => endpointTable(endpointsOf(schedulerCoverage()), 'Path'),
  control: controlTable,
  options: optionTable,
  presets: presetTable,
  choices: choiceTable,
}

/** The text with every generated part made anew. Refuses a text in which one has no place. */
export function withGeneratedParts(text: string): string {
  return Object.entries(parts).reduce((readme, [name, make]) => {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
    const [before, rest, surplus] = readme.split(start)
    const [, after, second] = rest?.split(end) ?? []
    if (
      before === undefined ||
      after === undefined ||
      surplus !== undefined ||
      second !== undefined
    ) {
      throw new Error(`the README needs one ${start} with one ${end} after it`)
    }
    return `${before}${start}\n\n${make()}\n\n${end}${after}`
  }, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { withPrinted } = await import('./readme.ts')
  const readme = withGeneratedParts(readFileSync(readmeFile, 'utf8'))
  writeFileSync(readmeFile, await withPrinted(readme))
}
