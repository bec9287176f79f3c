import type { DialectName } from '../../kernel/shape/dialect.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  hasChanges,
  type OutputChange,
  planOfRun,
  type ResourceChange,
  type RunPlan,
} from './planning.ts'
import { jsonType, providerOf } from './run-state.ts'
import { type Run, runWithPart } from './runs.ts'

/** Actions of a change as the JSON output names them. */
const actionNames: Readonly<Record<ResourceChange['action'], readonly string[]>> = {
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  replace: ['delete', 'create'],
  'no-op': ['no-op'],
  read: ['read'],
}

/** Returns the address of the provider of a resource type in a dialect. */
function providerName(type: string, dialect: DialectName): string {
  const address = providerOf(type)
  return dialect === 'vendor' ? address.replace('infra.example', 'terraform.io') : address
}

/** Returns mode, type and provider of a resource. */
function headOf({ address, type, name }: ResourceChange, dialect: DialectName) {
  const isData = type.startsWith('data.') || address.startsWith('data.')
  return {
    address,
    mode: isData ? 'data' : 'managed',
    type: type.replace(/^data\./, ''),
    name,
    provider_name: providerName(type, dialect),
  }
}

function resourceChange(change: ResourceChange, dialect: DialectName) {
  const { action, before, after } = change
  return {
    ...headOf(change, dialect),
    change: {
      actions: actionNames[action],
      before,
      after,
      after_unknown: after === null ? false : {},
      before_sensitive: before === null ? false : {},
      after_sensitive: after === null ? false : {},
    },
  }
}

/** Renders the change of an output. A redacted one has no sensitive values. */
function outputChange({ action, before, after, sensitive }: OutputChange, isRedacted: boolean) {
  const isSensitive = sensitive === 'yes'
  const shown = (value: unknown) => (isRedacted && isSensitive ? null : value)
  return {
    actions: actionNames[action],
    before: shown(before),
    after: shown(after),
    after_unknown: false,
    before_sensitive: isSensitive,
    after_sensitive: isSensitive,
  }
}

function outputChanges(outputs: readonly OutputChange[], isRedacted: boolean) {
  return Object.fromEntries(outputs.map((one) => [one.name, outputChange(one, isRedacted)]))
}

/** Schemas of the resource types and the data sources of a provider. */
interface ProviderSchema {
  readonly resource_schemas: Record<string, object>
  readonly data_source_schemas: Record<string, object>
}

/** Returns schemas of the resource types in a plan, whose attributes are those that occur in it. */
function providerSchemas(resources: readonly ResourceChange[], dialect: DialectName) {
  const schemas: Record<string, ProviderSchema> = {}
  for (const change of resources) {
    const { mode, type, provider_name: provider } = headOf(change, dialect)
    const attributes = Object.fromEntries(
      Object.entries({ ...change.before, ...change.after }).map(([name, value]) => [
        name,
        {
          type: value === null ? 'string' : jsonType(value),
          ...(name === 'id' ? { computed: true } : { optional: true }),
        },
      ]),
    )
    const schema = schemas[provider] ?? { resource_schemas: {}, data_source_schemas: {} }
    schemas[provider] = schema
    const kind = mode === 'data' ? 'data_source_schemas' : 'resource_schemas'
    schema[kind][type] ??= { version: 0, block: { attributes } }
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([provider, schema]) => [
      provider,
      { provider: { version: 0, block: {} }, ...schema },
    ]),
  )
}

/** Forms of a plan as JSON: whole, without sensitive values for the command, the schemas alone. */
export const planForms = ['json-plan', 'redacted-plan', 'plan-schemas'] as const

/** Form of a plan as JSON. */
export type PlanForm = (typeof planForms)[number]

/** Returns the plan with this id as JSON (behaviour/platform#plan-json); undefined without one. */
export function planJson(
  world: World,
  id: string,
  form: PlanForm,
  dialect: DialectName,
): object | undefined {
  const run = runWithPart(world, id)
  const plan = run === undefined ? undefined : planOfRun(world, run)
  if (run === undefined || plan === undefined) return undefined
  const schemas = providerSchemas(plan.resources, dialect)
  if (form === 'plan-schemas') return { format_version: '1.0', provider_schemas: schemas }
  const isRedacted = form === 'redacted-plan'
  const changes = {
    resource_changes: plan.resources.map((change) => resourceChange(change, dialect)),
    resource_drift: [],
    relevant_attributes: [],
    output_changes: outputChanges(plan.outputs, isRedacted),
  }
  if (isRedacted) {
    return {
      plan_format_version: '1.2',
      provider_format_version: '1.0',
      ...changes,
      provider_schemas: schemas,
    }
  }
  return {
    ...outputHead(run, dialect),
    ...changes,
    ...plannedValues(plan, dialect),
    configuration: { root_module: {} },
    applyable: hasChanges(plan),
    complete: true,
    errored: run.plan.status === 'errored',
  }
}

function outputHead(run: Run, dialect: DialectName) {
  const version = dialect === 'vendor' ? 'terraform_version' : 'infra_version'
  return {
    format_version: '1.2',
    [version]: run.infra_version,
    timestamp: formatTimestamp(run.reached.planning_at ?? run.created_at),
  }
}

function plannedValues({ resources, outputs, variables }: RunPlan, dialect: DialectName) {
  return {
    variables: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, { value }]),
    ),
    planned_values: {
      outputs: Object.fromEntries(
        outputs
          .filter(({ action }) => action !== 'delete')
          .map(({ name, after, sensitive }) => [
            name,
            { sensitive: sensitive === 'yes', type: jsonType(after), value: after },
          ]),
      ),
      root_module: {
        resources: resources
          .filter(({ after }) => after !== null)
          .map((change) => ({
            ...headOf(change, dialect),
            schema_version: 0,
            values: change.after,
            sensitive_values: {},
          })),
      },
    },
  }
}
