import type { Json } from '../../kernel/json.ts'
import { isObject } from '../../kernel/objects.ts'
import { any, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import {
  type Configuration,
  configurationOf,
  splitAddress,
  type WantedResource,
} from './configuration.ts'
import type { ChangeCounts, RunOutcome } from './outcome-shape.ts'
import {
  appliedBlocks,
  jsonType,
  type PresentOutput,
  type PresentResource,
  type PresentState,
  presentState,
  writeRunState,
} from './run-state.ts'
import type { Run } from './runs.ts'

const changeShape = struct({
  address: text,
  type: text,
  name: text,
  action: word('create', 'update', 'delete', 'replace', 'no-op', 'read'),
  /** Attributes before and after; null if the resource does not exist then. */
  before: nullable(map(any)),
  after: nullable(map(any)),
})

/** A planned change of a resource. */
export interface ResourceChange extends StoredOf<typeof changeShape> {}

const outputChangeShape = struct({
  name: text,
  action: word('create', 'update', 'delete', 'no-op'),
  before: any,
  after: any,
  sensitive: optional(word('yes')),
})

/** A planned change of an output. */
export interface OutputChange extends StoredOf<typeof outputChangeShape> {}

const planShape = struct({
  resources: list(changeShape),
  outputs: list(outputChangeShape),
  variables: map(any),
  /** Texts of the blocks by address, which the apply stores. */
  blocks: map(text),
  error: optional(struct({ summary: text, detail: text })),
})

/** Plans by run: what the log, the JSON output and the next state of a run have in common. */
export const runPlans = defineTable({
  service: 'platform',
  name: 'run-plans',
  secrets: { members: ['resources/*/before', 'resources/*/after', 'outputs', 'variables'] },
  shape: planShape,
})

/** A plan of a run. */
export interface RunPlan extends StoredOf<typeof planShape> {}

/** Returns the plan of a run; undefined before the run has planned. */
export function planOfRun(world: World, { id }: Pick<Run, 'id'>): RunPlan | undefined {
  return world.table(runPlans).get(id)
}

/** Configuration that stands for files that cannot be read. */
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
 * Plans a run with an outcome (behaviour/platform#run-files) and stores the plan. Must run inside a
 * transaction.
 */
export function planRun(world: World, run: Run, outcome: RunOutcome): RunPlan {
  const workspace = workspaceWithId(world, run.workspace)
  const { runResourcesFromUpload } = optionsOf(world)
  const configuration =
    (runResourcesFromUpload
      ? configurationOf(world, run, workspace?.working_directory ?? null)
      : undefined) ?? exampleConfiguration
  const state = presentState(world, run.workspace)
  const { error } = configuration
  const plan: RunPlan = {
    resources:
      error === undefined ? resourceChanges(world, run, outcome, configuration, state) : [],
    outputs: error === undefined ? outputChanges(run, outcome, configuration, state) : [],
    variables: configuration.variables,
    blocks: Object.fromEntries(configuration.resources.map((one) => [one.address, one.text])),
    ...(error === undefined ? {} : { error }),
  }
  world.table(runPlans).put(run.id, plan)
  return plan
}

function resourceChanges(
  world: World,
  run: Run,
  { resources, changes }: RunOutcome,
  configuration: Configuration,
  { resources: present }: PresentState,
): ResourceChange[] {
  const attributesAt = (address: string) =>
    present.find((one) => one.address === address)?.attributes
  if (resources !== undefined) {
    return resources.map(({ address, action, before, after }) => {
      const known = attributesAt(address)
      const id = { id: String(known?.['id'] ?? newResourceId(world)) }
      const was = before ?? known ?? id
      return {
        ...nameParts(address),
        action,
        before: action === 'create' || action === 'read' ? null : was,
        after: action === 'delete' ? null : { ...id, ...was, ...after },
      }
    })
  }
  if (changes === false) return []
  if (changes !== undefined) return placeholders(world, changes)
  const isTarget = ({ address }: { readonly address: string }) =>
    run.target_addrs === null || run.target_addrs.some((target) => isAtOrIn(address, target))
  if (run.refresh_only) return []
  const wanted = run.is_destroy ? [] : configuration.resources.filter(isTarget)
  const addresses = new Set(
    run.is_destroy ? [] : configuration.resources.map(({ address }) => address),
  )
  const kept = wanted.map((one) => wantedChange(world, run, one, attributesAt(one.address)))
  const deleted = present.filter((one) => isTarget(one) && !addresses.has(one.address))
  return [...kept, ...deleted.map(deletion)]
}

/** Returns whether an address is that of a target or of an instance of it. */
function isAtOrIn(address: string, target: string): boolean {
  return address === target || address.startsWith(`${target}[`) || address.startsWith(`${target}.`)
}

function deletion({ address, type, name, attributes }: PresentResource): ResourceChange {
  return { address, type, name, action: 'delete', before: attributes, after: null }
}

function wantedChange(
  world: World,
  run: Run,
  { address, type, name, text: source, values }: WantedResource,
  before: PresentResource['attributes'] | undefined,
): ResourceChange {
  const resource = { address, type, name }
  if (before === undefined) {
    const after = { id: newResourceId(world), ...values }
    return { ...resource, action: 'create', before: null, after }
  }
  if (run.replace_addrs?.includes(address) === true) {
    const after = { id: newResourceId(world), ...values }
    return { ...resource, action: 'replace', before, after }
  }
  const applied = world.table(appliedBlocks).get(`${run.workspace}/${address}`)?.text
  const isSame =
    applied === undefined
      ? Object.entries(values).every(
          ([key, value]) => JSON.stringify(before[key]) === JSON.stringify(value),
        )
      : applied === source
  if (isSame) return { ...resource, action: 'no-op', before, after: before }
  return { ...resource, action: 'update', before, after: { id: before['id'] ?? null, ...values } }
}

function newResourceId(world: World): string {
  return world.ids.text(16, '0123456789')
}

/** Returns type and name in an address; a data source keeps its prefix in the type. */
function nameParts(address: string) {
  const { path } = splitAddress(address)
  const parts = path.split('.')
  const [type = address, name = ''] = parts.slice(-2)
  return { address, type, name }
}

/** Returns changes of made-up resources. */
function placeholders(world: World, counts: Partial<ChangeCounts>): ResourceChange[] {
  const { add = 0, change = 0, destroy = 0, import: imported = 0 } = counts
  const actions = [
    ...Array.from({ length: add + imported }, () => 'create' as const),
    ...Array.from({ length: change }, () => 'update' as const),
    ...Array.from({ length: destroy }, () => 'delete' as const),
  ]
  return actions.map((action, index) => {
    const attributes = { id: newResourceId(world) }
    return {
      address: `null_resource.mock[${index}]`,
      type: 'null_resource',
      name: 'mock',
      action,
      before: action === 'create' ? null : attributes,
      after: action === 'delete' ? null : attributes,
    }
  })
}

/** Returns an output that an outcome gives: a value, or an object with a value. */
function providedOutput(name: string, given: Json) {
  const isDescribed = isObject(given) && Object.hasOwn(given, 'value')
  const { value, sensitive } = isDescribed ? given : { value: given, sensitive: false }
  // Members of JSON are JSON.
  return { name, value: value as Json, sensitive: sensitive === true }
}

function outputChanges(
  run: Run,
  outcome: RunOutcome,
  { outputs }: Configuration,
  { outputs: present }: PresentState,
): OutputChange[] {
  if (run.refresh_only || outcome.changes === false) return []
  const given = outcome.outputs
  const wanted = given
    ? Object.entries(given).map(([name, value]) => providedOutput(name, value))
    : outputs
  const changed = (run.is_destroy ? [] : wanted).map(({ name, value, sensitive }): OutputChange => {
    const before = present[name]
    const isSame = before !== undefined && JSON.stringify(before.value) === JSON.stringify(value)
    const action = before === undefined ? 'create' : 'update'
    return {
      name,
      action: isSame ? 'no-op' : action,
      before: before?.value ?? null,
      after: value,
      ...(sensitive ? { sensitive: 'yes' } : {}),
    }
  })
  const names = new Set(changed.map(({ name }) => name))
  const deleted = Object.entries(present)
    .filter(([name]) => !names.has(name))
    .map(
      ([name, { value }]): OutputChange => ({ name, action: 'delete', before: value, after: null }),
    )
  return [...changed, ...deleted]
}

/** Returns how many resources a plan changes. A replaced one counts as added and destroyed. */
export function countsOf({ resources }: RunPlan, imported = 0): ChangeCounts {
  const count = (...actions: readonly string[]) =>
    resources.filter(({ action }) => actions.includes(action)).length
  return {
    add: count('create', 'replace') - imported,
    change: count('update'),
    destroy: count('delete', 'replace'),
    import: imported,
  }
}

/** Returns whether a plan changes a resource or an output. */
export function hasChanges({ resources, outputs }: RunPlan): boolean {
  return (
    resources.some(({ action }) => action !== 'no-op' && action !== 'read') ||
    outputs.some(({ action }) => action !== 'no-op')
  )
}

/** Writes the state that the apply of a plan makes. Must run inside a transaction. */
export function applyPlan(world: World, run: Run): void {
  const plan = planOfRun(world, run)
  if (plan === undefined) return
  const before = presentState(world, run.workspace)
  const changes = new Map(plan.resources.map((change) => [change.address, change]))
  const kept = before.resources.filter(({ address }) => !changes.has(address))
  const applied = plan.resources.flatMap(({ address, type, name, action, after }) =>
    after === null || action === 'read' ? [] : [{ address, type, name, attributes: after }],
  )
  const outputs: Record<string, PresentOutput> = run.refresh_only ? { ...before.outputs } : {}
  for (const { name, action, after, sensitive } of plan.outputs) {
    if (action === 'delete') continue
    outputs[name] = { value: after, type: jsonType(after), sensitive: sensitive === 'yes' }
  }
  writeRunState(world, run, { resources: [...kept, ...applied], outputs })
  for (const { address, action } of plan.resources) {
    const key = `${run.workspace}/${address}`
    const source = plan.blocks[address]
    if (action === 'delete') world.table(appliedBlocks).delete(key)
    else if (source !== undefined) world.table(appliedBlocks).put(key, { text: source })
  }
}
