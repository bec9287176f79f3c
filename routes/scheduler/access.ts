import type { SchedulerCaller, VariableAccess } from '../../state/scheduler/acl/callers.ts'
import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import {
  assertDeclared,
  type OperationAccess as DeclaredAccess,
  type RequiredRight as DeclaredRight,
  insideOperation,
  rightCheckedAt,
} from '../http/declare/access.ts'

export {
  accessText,
  beforeBody as first,
  insideOperation as within,
  perEntry as forEach,
} from '../http/declare/access.ts'

/**
 * A right by its name (behaviour/scheduler#auth): a capability in a namespace (`*`: any
 * of them, in the one that the path names; `+`: both), what blocks such as `node` and `node_pool` grant, a management token, or being who
 * holds the policy or token that is asked about.
 */
export type RightName =
  | `namespace:${Capability | '*'}`
  | 'namespace:list-jobs+read-job'
  | CoarseRightName
  | `node_pool:${PoolAccess}`
  | 'node:read+node_pool:read'
  | `variables:${VariableAccess}`
  | 'management'
  | 'holder'

/** A right that a block without a label grants. */
type CoarseRightName = `${'agent' | 'node' | 'operator'}:${'read' | 'write'}`

type PoolAccess = 'read' | 'write' | 'delete'

/** What a caller must have. */
export interface SchedulerRight extends DeclaredRight<RightName> {
  /** Asked with `namespace=*` it is enough to have it in some namespace. */
  readonly coversAnyNamespace?: true
}

/** Who may ask for an operation. */
export type SchedulerAccess = DeclaredAccess<SchedulerRight>

/** Who asks for what: the part of a context that rights are about. */
interface RequestScope {
  readonly access: SchedulerAccess
  readonly caller: SchedulerCaller
  /** That of the request. */
  readonly namespace: string
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>
}

/** Needs any of these capabilities in the namespace of the request. */
export function can(...capabilities: readonly [Capability, ...Capability[]]): SchedulerRight {
  return requiresAnyOf(...capabilities.map((capability) => `namespace:${capability}` as const))
}

/** The same for lists, which may be of all namespaces. */
export function canList(capability: Capability): SchedulerRight {
  return { ...can(capability), coversAnyNamespace: true }
}

/** Needs any of these rights. */
export function requiresAnyOf(...anyOf: readonly RightName[]): SchedulerRight {
  return { anyOf, when: 'before' }
}

/** Registering needs more where policies are to be overridden. */
export const registering: SchedulerRight = {
  ...insideOperation(can('submit-job')),
  also: 'namespace:policy-override',
}

/** Refuses a caller who lacks what an operation needs, where that is looked at at this moment. */
export function checkRights(context: RequestScope, when: 'first' | 'before'): void {
  const required = rightCheckedAt(context.access, when)
  if (required === undefined) return
  // Who calls is found out now and not before.
  const { caller, namespace, params } = context
  const { anyOf, coversAnyNamespace } = required
  const has = (right: RightName): boolean => {
    if (right === 'management') return caller.isManagement
    if (right === 'namespace:*') return caller.maySee(params['name'] ?? '')
    const pool = poolAccessOf(right)
    if (pool !== undefined) return caller.mayUsePool(params['name'] ?? '', pool)
    if (isCoarse(right)) return mayUse(caller, right)
    const capabilities = capabilitiesOf(right)
    if (capabilities === undefined) throw new Error(`${right} is for operations to demand`)
    return capabilities.every((capability) =>
      coversAnyNamespace === true && namespace === '*'
        ? caller.mayAny(capability)
        : caller.may(namespace, capability),
    )
  }
  if (!anyOf.some(has)) throw refuse('permission-denied')
}

/** What is done with a node pool that the path names. */
function poolAccessOf(right: RightName): PoolAccess | undefined {
  return (['read', 'write', 'delete'] as const).find((access) => right === `node_pool:${access}`)
}

/** What the blocks without a label are about. */
const coarseKinds: ReadonlySet<string> = new Set(['agent', 'node', 'operator'])

function isCoarse(right: RightName): right is CoarseRightName {
  return coarseKinds.has(right.slice(0, right.indexOf(':')))
}

function mayUse(caller: SchedulerCaller, right: CoarseRightName): boolean {
  const [kind, access] = right.split(':') as ['agent' | 'node' | 'operator', 'read' | 'write']
  return caller.mayUse(kind, access)
}

function capabilitiesOf(right: RightName): readonly Capability[] | undefined {
  const [kind, names = '*'] = right.split(':')
  return kind === 'namespace' && names !== '*' ? (names.split('+') as Capability[]) : undefined
}

/** Tells whether a caller has what an operation declares in a namespace that it finds out by itself. */
export function hasAccessIn(
  { caller, access }: Pick<RequestScope, 'caller' | 'access'>,
  namespace: string,
) {
  if (access === 'anyone') return true
  return access.anyOf.some((right) =>
    capabilitiesOf(right)?.every((capability) => caller.may(namespace, capability)),
  )
}

/** Refuses a caller without a capability in a namespace, which the operation declares. */
export function requireCapability(
  context: RequestScope,
  namespace: string,
  capability: Capability,
): void {
  if (!hasCapability(context, namespace, capability)) throw refuse('permission-denied')
}

/** Tells whether a caller has a capability in a namespace, which the operation declares. */
export function hasCapability(
  { caller, access }: Pick<RequestScope, 'caller' | 'access'>,
  namespace: string,
  capability: Capability,
): boolean {
  assertDeclared(access, `namespace:${capability}`)
  return caller.may(namespace, capability)
}

/** Refuses a caller that is not management, which the operation declares (behaviour/scheduler#beyond: writes of namespaces). */
export function requireManagement({ caller, access }: RequestScope): void {
  assertDeclared(access, 'management')
  if (!caller.isManagement) throw refuse('permission-denied')
}

/** Refuses a caller who may not write a node pool, which the operation declares. */
export function requirePoolWrite({ caller, access }: RequestScope, name: string): void {
  assertDeclared(access, 'node_pool:write')
  if (!caller.mayUsePool(name, 'write')) throw refuse('permission-denied')
}

/** Refuses a caller who may not read nodes and the pool that they are in, which the operation declares. */
export function requirePoolNodesRead({ caller, access }: RequestScope, name: string): void {
  assertDeclared(access, 'node:read+node_pool:read')
  const isAllowed = caller.mayUse('node', 'read') && caller.mayUsePool(name, 'read')
  if (!isAllowed) throw refuse('permission-denied')
}

/** Refuses a caller who may not read or write nodes, agents or the like, which the operation declares. */
export function requireCoarseRight({ caller, access }: RequestScope, right: CoarseRightName): void {
  assertDeclared(access, right)
  if (!mayUse(caller, right)) throw refuse('permission-denied')
}
