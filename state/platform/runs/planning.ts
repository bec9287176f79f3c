import { any, list, map, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { stateValueType } from '../states/state-file.ts'
import { platformTable } from '../table.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { type Configuration, configurationOf } from './configuration.ts'
import type { ChangeCounts, RunOutcome } from './outcome-shape.ts'
import { outputChangeShape, outputChanges } from './output-changes.ts'
import {
  isChange,
  isManagedAddress,
  type ResourceChange,
  resourceChangeShape,
  resourceChanges,
} from './resource-changes.ts'
import {
  appliedBlocks,
  type CurrentOutput,
  type CurrentResource,
  readCurrentState,
  writeRunState,
} from './run-state.ts'
import type { Run } from './runs.ts'

const planShape = struct({
  resources: list(resourceChangeShape),
  /** Resources of the state that the plan does not contain, for example because of targets. */
  kept: optional(
    list(
      struct({
        address: text,
        attributes: map(any),
        provider: optional(text),
        sensitive: optional(list(text)),
      }),
    ),
  ),
  outputs: list(outputChangeShape),
  variables: map(any),
  /**
   * Source texts of the resource blocks, by address. The apply stores the texts, so that the next
   * plan can detect a changed block.
   */
  blocks: map(text),
  error: optional(struct({ summary: text, detail: text })),
})

/** Plans by run id. The log, the JSON output and the next state are derived from the plan. */
export const runPlans = platformTable('run-plans', planShape, {
  secrets: {
    members: [
      'resources/*/before',
      'resources/*/after',
      'kept/*/attributes',
      'outputs',
      'variables',
    ],
  },
})

/** The planned changes of a run. */
export interface RunPlan extends StoredOf<typeof planShape> {}

/** Returns the plan of a run, or undefined if the run has not been planned. */
export function planOfRun(world: World, { id }: Pick<Run, 'id'>): RunPlan | undefined {
  return world.table(runPlans).get(id)
}

/**
 * Configuration for runs without configuration files, and for all runs if the option
 * `runResourcesFromUpload` is false.
 */
const exampleConfiguration: Configuration = {
  resources: [
    {
      address: 'null_resource.example',
      type: 'null_resource',
      name: 'example',
      text: '',
      values: {},
    },
  ],
  outputs: [],
  variables: {},
}

/**
 * Plans a run and stores the plan (behaviour/platform#run-files). Must run inside a transaction.
 */
export function planRun(world: World, run: Run, outcome: RunOutcome): RunPlan {
  const workspace = workspaceWithId(world, run.workspace)
  const { runResourcesFromUpload } = optionsOf(world)
  const configuration =
    (runResourcesFromUpload
      ? configurationOf(world, run, workspace?.working_directory ?? null)
      : undefined) ?? exampleConfiguration
  const state = readCurrentState(world, run.workspace)
  const { error } = configuration
  const resources =
    error === undefined ? resourceChanges(world, run, outcome, configuration, state) : []
  const plannedAddresses = new Set(resources.map(({ address }) => address))
  const kept = state.resources.filter(({ address }) => !plannedAddresses.has(address))
  const plan: RunPlan = {
    resources,
    ...(kept.length === 0 ? {} : { kept: kept.map(keptResource) }),
    outputs: error === undefined ? outputChanges(run, outcome, configuration, state) : [],
    variables: configuration.variables,
    blocks: Object.fromEntries(configuration.resources.map((one) => [one.address, one.text])),
    ...(error === undefined ? {} : { error }),
  }
  world.table(runPlans).put(run.id, plan)
  return plan
}

function keptResource({ address, attributes, provider, sensitive = [] }: CurrentResource) {
  return {
    address,
    attributes: { ...attributes },
    ...(provider === undefined ? {} : { provider }),
    ...(sensitive.length === 0 ? {} : { sensitive: [...sensitive] }),
  }
}

/** Counts the changes of a plan. A replaced resource increases both `add` and `destroy`. */
export function countsOf({ resources }: RunPlan): ChangeCounts {
  const count = (...actions: readonly string[]) =>
    resources.filter(({ action }) => actions.includes(action)).length
  return {
    add: count('create', 'replace'),
    change: count('update'),
    destroy: count('delete', 'replace'),
    import: resources.filter(({ importing }) => importing !== undefined).length,
  }
}

/** Returns whether a plan changes resources or outputs. Reading a data source is not a change. */
export function hasChanges({ resources, outputs }: RunPlan): boolean {
  return (
    resources.some((change) => isChange(change) && change.action !== 'read') ||
    outputs.some(({ action }) => action !== 'no-op')
  )
}

/** Returns the resources and outputs that an apply leaves in the state. */
export function plannedState(
  { resources, outputs, kept = [] }: RunPlan,
  { is_destroy, target_addrs }: Pick<Run, 'is_destroy' | 'target_addrs'>,
) {
  const dropsDataSources = is_destroy && target_addrs === null
  const after = resources.flatMap(({ address, after: attributes, provider, sensitive }) =>
    attributes === null ? [] : [{ address, attributes, provider, sensitive }],
  )
  const values = outputs
    .filter(({ action }) => action !== 'delete')
    .map(({ name, after: value, sensitive }): [string, CurrentOutput] => [
      name,
      { value, type: stateValueType(value), sensitive: sensitive === 'yes' },
    ])
  return {
    resources: [...kept.filter((one) => !dropsDataSources || isManagedAddress(one)), ...after],
    outputs: Object.fromEntries(values),
  }
}

/**
 * Splits a plan for an apply that fails halfway. In `finished`, only the first half of the changes
 * remain, and all other changes are `no-op`. `failing` is the change that fails, or undefined if
 * the plan has no changes.
 */
export function firstHalfOf(plan: RunPlan) {
  const changes = plan.resources.filter(isChange)
  const start = Math.floor(changes.length / 2)
  const undoneChanges = new Set(changes.slice(start))
  const resources = plan.resources.map((change): ResourceChange => {
    if (!undoneChanges.has(change)) return change
    const { importing: _importing, before, ...others } = change
    return { ...others, action: 'no-op', before, after: before }
  })
  const texts = Object.entries(plan.blocks)
  const addresses = new Set(Array.from(undoneChanges, ({ address }) => address))
  const blocks = Object.fromEntries(texts.filter(([address]) => !addresses.has(address)))
  return { finished: { ...plan, resources, blocks }, failing: changes[start] }
}

/**
 * Stores the state that results from the plan of a run, if the run has been planned. Must run
 * inside a transaction.
 */
export function applyPlan(world: World, run: Run): void {
  const plan = planOfRun(world, run)
  if (plan !== undefined) writeStateAfterApply(world, run, plan)
}

/**
 * Stores the state after an apply that fails. A resource whose creation failed is tainted, so that
 * the next plan replaces the resource. Must run inside a transaction.
 */
export function applyFirstHalf(world: World, run: Run, plan: RunPlan): void {
  const { finished, failing } = firstHalfOf(plan)
  const outputs = plan.outputs
    .filter(({ action }) => action !== 'create')
    .map((output) => ({ ...output, action: 'no-op' as const, after: output.before }))
  const isCreation = failing?.action === 'create' || failing?.action === 'replace'
  const resources = finished.resources.map((one) =>
    isCreation && one.address === failing.address ? failing : one,
  )
  writeStateAfterApply(
    world,
    run,
    { ...finished, outputs, resources },
    isCreation ? failing.address : undefined,
  )
}

function writeStateAfterApply(
  world: World,
  run: Run,
  plan: RunPlan,
  taintedAddress?: string,
): void {
  const before = readCurrentState(world, run.workspace)
  const actions = new Map(plan.resources.map(({ address, action }) => [address, action]))
  const others = new Map(
    before.resources
      .filter(({ address }) => actions.get(address) !== 'replace')
      .map((resource) => [resource.address, resource.others]),
  )
  if (taintedAddress !== undefined) others.set(taintedAddress, { status: 'tainted' })
  const unchangedOutputs = plan.outputs.filter(({ action }) => action === 'no-op')
  const sameOutputs = unchangedOutputs.flatMap(({ name }) => {
    const output = before.outputs[name]
    return output === undefined ? [] : [[name, output] as const]
  })
  const { resources, outputs } = plannedState(plan, run)
  writeRunState(world, run, {
    resources: resources.map(({ address, attributes, provider, sensitive }): CurrentResource => {
      const kept = others.get(address)
      return {
        address,
        attributes,
        ...(provider === undefined ? {} : { provider }),
        ...(sensitive === undefined ? {} : { sensitive }),
        ...(kept === undefined ? {} : { others: kept }),
      }
    }),
    // An unchanged output keeps the type that the state has for it. A type derived from the value
    // can differ: an array always becomes a tuple, even if the state has a list.
    outputs: { ...outputs, ...Object.fromEntries(sameOutputs) },
  })
  if (run.outcome.state === 'lost') return
  for (const { address, action } of plan.resources) {
    const key = `${run.workspace}/${address}`
    const source = plan.blocks[address]
    if (action === 'delete') world.table(appliedBlocks).delete(key)
    else if (source !== undefined) world.table(appliedBlocks).put(key, { text: source })
  }
}
