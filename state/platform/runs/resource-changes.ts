import type { Json } from '../../kernel/json.ts'
import { any, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isWithinTarget, parseAddress } from './addresses.ts'
import type { Configuration, ConfiguredResource } from './configuration.ts'
import type { ChangeCounts, RunOutcome } from './outcome-shape.ts'
import { appliedBlocks, type CurrentResource, type CurrentState } from './run-state.ts'
import type { Run } from './runs.ts'

export const resourceChangeShape = struct({
  address: text,
  type: text,
  name: text,
  action: word('create', 'update', 'delete', 'replace', 'no-op', 'read'),
  /** Attributes before the apply; null if the resource does not exist yet. */
  before: nullable(map(any)),
  /** Attributes after the apply; null if the resource is deleted. */
  after: nullable(map(any)),
  /** Source address of the provider; missing if the type determines it. */
  provider: optional(text),
  /** Names of the attributes whose value is unknown until the apply. */
  unknown: optional(list(text)),
  /** Names of sensitive attributes. */
  sensitive: optional(list(text)),
  /** Id of the object to import; missing if the resource is not imported. */
  importing: optional(text),
})

/** A planned change of a resource, or a resource that stays unchanged. */
export interface ResourceChange extends StoredOf<typeof resourceChangeShape> {}

/**
 * Returns the planned changes of all resources, from the outcome or the files
 * (behaviour/platform#run-files).
 */
export function resourceChanges(
  world: World,
  run: Run,
  { resources, changes }: RunOutcome,
  configuration: Configuration,
  { resources: currentResources }: CurrentState,
): ResourceChange[] {
  const currentResourceAt = (address: string) =>
    currentResources.find((one) => one.address === address)
  if (resources !== undefined) {
    return resources.map((given) =>
      changeFromOutcome(world, given, currentResourceAt(given.address)),
    )
  }
  if (changes === false) return []
  if (changes !== undefined) return placeholderChanges(world, changes)
  const isTarget = ({ address }: { readonly address: string }) =>
    run.target_addrs === null || run.target_addrs.some((target) => isWithinTarget(address, target))
  if (run.refresh_only) return []
  const wanted = run.is_destroy ? [] : configuration.resources.filter(isTarget)
  const addresses = new Set(
    run.is_destroy ? [] : configuration.resources.map(({ address }) => address),
  )
  const kept = wanted.map((one) =>
    configuredChange(world, run, one, currentResourceAt(one.address)),
  )
  const deleted = currentResources.filter(
    (one) => isManagedAddress(one) && isTarget(one) && !addresses.has(one.address),
  )
  return [...kept, ...deleted.map(deletion)]
}

/**
 * Returns whether a change has an effect. A `no-op` has an effect only if it imports the resource.
 */
export function isChange({ action, importing }: ResourceChange): boolean {
  return action !== 'no-op' || importing !== undefined
}

/** Returns whether an address names a managed resource rather than a data source. */
export function isManagedAddress({ address }: Pick<CurrentResource, 'address'>): boolean {
  return parseAddress(address).mode === 'managed'
}

/**
 * Returns the change for an entry of the outcome. For `update`, `replace` and `no-op`, attributes
 * that the entry's `after` does not contain come from the entry's `before` or, without `before`,
 * from the state. A replaced resource gets a new id.
 */
function changeFromOutcome(
  world: World,
  entry: NonNullable<RunOutcome['resources']>[number],
  current: CurrentResource | undefined,
): ResourceChange {
  const { address, action, before, after, provider, unknown, sensitive } = entry
  const known = current?.attributes
  const id = { id: (known?.['id'] ?? newResourceId(world)) as Json }
  const attributesBefore = before ?? known ?? id
  const isNew = action === 'create' || action === 'read'
  const newId = action === 'replace' ? { id: newResourceId(world) } : {}
  return {
    ...nameParts(address),
    ...providerAndSensitive(current),
    action,
    before: isNew ? null : attributesBefore,
    after:
      action === 'delete'
        ? null
        : { ...id, ...(isNew ? {} : attributesBefore), ...newId, ...after },
    ...(provider === undefined ? {} : { provider }),
    ...(unknown === undefined ? {} : { unknown }),
    ...(sensitive === undefined ? {} : { sensitive }),
  }
}

/**
 * Returns the provider and the names of sensitive attributes of a resource in the state. Leaves out
 * each member for which the resource has no value.
 */
function providerAndSensitive(current: CurrentResource | undefined) {
  const { provider, sensitive = [] } = { ...current }
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(sensitive.length === 0 ? {} : { sensitive: [...sensitive] }),
  }
}

function deletion(current: CurrentResource): ResourceChange {
  const { address, attributes } = current
  const common = providerAndSensitive(current)
  return { ...nameParts(address), ...common, action: 'delete', before: attributes, after: null }
}

function configuredChange(
  world: World,
  run: Run,
  { address, type, name, text: source, values }: ConfiguredResource,
  current: CurrentResource | undefined,
): ResourceChange {
  const resource = { address, type, name, ...providerAndSensitive(current) }
  const createdMembers = () => ({
    after: { id: newResourceId(world), ...values },
    ...('id' in values ? {} : { unknown: ['id'] }),
  })
  if (current === undefined)
    return { ...resource, action: 'create', before: null, ...createdMembers() }
  const before = current.attributes
  const isTainted = current.others?.['status'] === 'tainted'
  if (isTainted || run.replace_addrs?.includes(address) === true) {
    return { ...resource, action: 'replace', before, ...createdMembers() }
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

function nameParts(address: string) {
  const { type, name } = parseAddress(address)
  return { address, type, name }
}

/** Returns changes of made-up resources. `counts` contains the number of changes of each kind. */
function placeholderChanges(world: World, counts: Partial<ChangeCounts>): ResourceChange[] {
  const { add = 0, change = 0, destroy = 0, import: importCount = 0 } = counts
  const actions = [
    ...Array.from({ length: add }, () => 'create' as const),
    ...Array.from({ length: importCount }, () => 'import' as const),
    ...Array.from({ length: change }, () => 'update' as const),
    ...Array.from({ length: destroy }, () => 'delete' as const),
  ]
  return actions.map((action, index): ResourceChange => {
    const id = newResourceId(world)
    const attributes = { id }
    return {
      ...nameParts(`null_resource.mock[${index}]`),
      ...(action === 'import' ? { action: 'no-op', importing: id } : { action }),
      ...(action === 'create' ? { unknown: ['id'] } : {}),
      before: action === 'create' ? null : attributes,
      after: action === 'delete' ? null : attributes,
    }
  })
}
