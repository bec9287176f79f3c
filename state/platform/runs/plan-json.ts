import type { DialectName } from '../../kernel/shape/dialect.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { stateValueType } from '../states/state-file.ts'
import { parseAddress } from './addresses.ts'
import type { OutputChange } from './output-changes.ts'
import { hasChanges, plannedState, planOfRun, type RunPlan } from './planning.ts'
import type { ResourceChange } from './resource-changes.ts'
import { type Run, runWithPart } from './runs.ts'
import { markNames, resourceHead, stateValues } from './state-json.ts'

/** Names of actions in the JSON output of a plan. */
const actionNames: Readonly<Record<ResourceChange['action'], readonly string[]>> = {
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  replace: ['delete', 'create'],
  'no-op': ['no-op'],
  read: ['read'],
}

/** Returns the source address of a provider in a dialect. */
function providerInDialect(provider: string, dialect: DialectName): string {
  return dialect === 'vendor'
    ? provider.replace(/^registry\.infra\.example\//, vendorRegistry)
    : provider
}

const vendorRegistry = 'registry.terraform.io/'

/** Returns the attributes except those in `hiddenNames`; null if the attributes are null. */
function withoutAttributes(
  attributes: ResourceChange['after'],
  hiddenNames: readonly string[],
): ResourceChange['after'] {
  if (attributes === null || hiddenNames.length === 0) return attributes
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => !hiddenNames.includes(name)),
  )
}

/** Renders a resource change. If `isRedacted` is set, sensitive attributes are null. */
function renderResourceChange(change: ResourceChange, isRedacted: boolean, dialect: DialectName) {
  const { action, before, after, unknown = [], sensitive = [], importing } = change
  const { module } = parseAddress(change.address)
  const { address, provider_name, ...head } = resourceHead(change)
  const redact = (attributes: ResourceChange['after']) => {
    if (attributes === null || !isRedacted) return attributes
    const names = sensitive.filter((name) => Object.hasOwn(attributes, name))
    return { ...attributes, ...Object.fromEntries(names.map((name) => [name, null])) }
  }
  return {
    address,
    ...(module === '' ? {} : { module_address: module }),
    ...head,
    provider_name: providerInDialect(provider_name, dialect),
    change: {
      actions: actionNames[action],
      before: redact(before),
      after: redact(withoutAttributes(after, unknown)),
      after_unknown: after === null ? false : markNames(unknown),
      before_sensitive: before === null ? false : markNames(sensitive),
      after_sensitive: after === null ? false : markNames(sensitive),
      ...(importing === undefined ? {} : { importing: { id: importing } }),
    },
  }
}

/** Renders an output change. If `isRedacted` is set, sensitive values are null. */
function renderOutputChange(
  { action, before, after, sensitive }: OutputChange,
  isRedacted: boolean,
) {
  const isSensitive = sensitive === 'yes'
  const redact = (value: unknown) => (isRedacted && isSensitive ? null : value)
  return {
    actions: actionNames[action],
    before: redact(before),
    after: redact(after),
    after_unknown: false,
    before_sensitive: isSensitive,
    after_sensitive: isSensitive,
  }
}

function renderOutputChanges(outputs: readonly OutputChange[], isRedacted: boolean) {
  return Object.fromEntries(outputs.map((one) => [one.name, renderOutputChange(one, isRedacted)]))
}

/** Schemas of one provider, by resource type. */
interface ProviderSchema {
  readonly resource_schemas: Record<string, object>
  readonly data_source_schemas: Record<string, object>
}

/**
 * Returns schemas with the attributes that occur in the plan, since the providers' real schemas are
 * unknown.
 */
function providerSchemas(resources: readonly ResourceChange[], dialect: DialectName) {
  const schemas: Record<string, ProviderSchema> = {}
  for (const change of resources) {
    const { mode, type, provider_name } = resourceHead(change)
    const provider = providerInDialect(provider_name, dialect)
    const attributes = Object.fromEntries(
      Object.entries({ ...change.before, ...change.after }).map(([name, value]) => [
        name,
        {
          type: value === null ? 'string' : stateValueType(value),
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

/** Forms of a plan: complete, redacted for the command-line client, and only the schemas. */
export const planForms = ['json-plan', 'redacted-plan', 'plan-schemas'] as const

export type PlanForm = (typeof planForms)[number]

/**
 * Renders the plan with the given id (behaviour/platform#plan-json). Returns undefined if the id is
 * unknown or the run has not been planned.
 */
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
    resource_changes: plan.resources.map((change) =>
      renderResourceChange(change, isRedacted, dialect),
    ),
    resource_drift: [],
    relevant_attributes: [],
    output_changes: renderOutputChanges(plan.outputs, isRedacted),
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
    ...plannedValues(plan, run, dialect),
    configuration: { root_module: {} },
    applyable: hasChanges(plan),
    complete: true,
    errored: run.plan.status === 'errored',
  }
}

function toolVersionMember({ infra_version }: Run, dialect: DialectName) {
  return { [dialect === 'vendor' ? 'terraform_version' : 'infra_version']: infra_version }
}

function outputHead(run: Run, dialect: DialectName) {
  return {
    format_version: '1.2',
    ...toolVersionMember(run, dialect),
    timestamp: formatTimestamp(run.reached.planning_at ?? run.created_at),
  }
}

/**
 * Returns the members `variables`, `planned_values` and `prior_state` of a plan in JSON. Leaves out
 * `prior_state` if it would be empty.
 */
function plannedValues(plan: RunPlan, run: Run, dialect: DialectName) {
  const { resources, outputs, variables, kept = [] } = plan
  const withoutUnknowns = {
    ...plan,
    resources: resources.map((one) => ({
      ...one,
      after: withoutAttributes(one.after, one.unknown ?? []),
    })),
  }
  const after = plannedState(withoutUnknowns, run)
  const before = resources.flatMap(({ before: attributes, importing, ...change }) =>
    attributes === null || importing !== undefined ? [] : [{ ...change, attributes }],
  )
  const priorOutputs = outputs
    .filter(({ action }) => action !== 'create')
    .map(({ name, before: value, sensitive }) => [
      name,
      { value, type: stateValueType(value), sensitive: sensitive === 'yes' },
    ])
  const prior = [...kept, ...before]
  const withProviders = (list: typeof after.resources) =>
    list.map((one) => ({
      ...one,
      provider: providerInDialect(resourceHead(one).provider_name, dialect),
    }))
  return {
    variables: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, { value }]),
    ),
    planned_values: stateValues(withProviders(after.resources), after.outputs),
    ...(prior.length + priorOutputs.length === 0
      ? {}
      : {
          prior_state: {
            format_version: '1.0',
            ...toolVersionMember(run, dialect),
            values: stateValues(withProviders(prior), Object.fromEntries(priorOutputs)),
          },
        }),
  }
}
