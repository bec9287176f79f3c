import type { UnlabelledAccess } from '../../state/scheduler/acl/authorization.ts'
import type { SchedulerCaller, VariableAccess } from '../../state/scheduler/acl/callers.ts'
import type { UnlabelledKey } from '../../state/scheduler/acl/rule-document.ts'
import type { Capability } from '../../state/scheduler/acl/rules.ts'
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
 * Name of a right (behaviour/scheduler#auth): a capability in a namespace, a right of a block such
 * as `node` or `node_pool`, a management token, or the possession of the policy or token that the
 * request concerns. `*` stands for any capability in the namespace that the path names; `+` joins
 * two rights that are both required.
 */
type RightName =
  | `namespace:${Capability | '*'}`
  | 'namespace:list-jobs+read-job'
  | UnlabelledRightName
  | `node_pool:${PoolAccess}`
  | 'node:read+node_pool:read'
  | `variables:${VariableAccess}`
  | 'management'
  | 'holder'

/** A right that a block without a label grants. */
type UnlabelledRightName =
  | `${'agent' | 'node' | 'operator'}:${'read' | 'write'}`
  | `plugin:${'read' | 'list'}`

type PoolAccess = 'read' | 'write' | 'delete'

interface SchedulerRight extends DeclaredRight<RightName> {
  /** True if a request with `namespace=*` needs the right in only one namespace. */
  readonly coversAnyNamespace?: true
}

export type SchedulerAccess = DeclaredAccess<SchedulerRight>

/**
 * The access that an operation requires, the caller, and the data of the request that decide
 * whether the caller has the access.
 */
interface RequestScope {
  readonly access: SchedulerAccess
  readonly caller: SchedulerCaller
  /** Namespace of the request; `*` for all namespaces. */
  readonly namespace: string
  readonly params: Readonly<Record<string, string>>
}

/** Returns the access that requires one of the capabilities in the namespace of the request. */
export function requiresCapability(
  ...capabilities: readonly [Capability, ...Capability[]]
): SchedulerRight {
  return requiresAnyOf(...capabilities.map((capability) => `namespace:${capability}` as const))
}

/** Returns the access to a list. With `namespace=*`, the capability in one namespace is enough. */
export function requiresListCapability(capability: Capability): SchedulerRight {
  return { ...requiresCapability(capability), coversAnyNamespace: true }
}

/** Returns the access that requires one of the rights, checked before the operation runs. */
export function requiresAnyOf(...anyOf: readonly RightName[]): SchedulerRight {
  return { anyOf, when: 'before' }
}

/**
 * Access for registering a job. Overriding policies also requires the right
 * `namespace:policy-override`.
 */
export const registrationRight: SchedulerRight = {
  ...insideOperation(requiresCapability('submit-job')),
  also: 'namespace:policy-override',
}

/**
 * Throws a refusal if the caller lacks the access that the operation requires at the given stage.
 */
export function checkRights(context: RequestScope, when: 'first' | 'before'): void {
  const required = rightCheckedAt(context.access, when)
  if (required === undefined) return
  // Reading `caller` resolves the token, so it must not happen before this point.
  const { caller, namespace, params } = context
  const { anyOf, coversAnyNamespace } = required
  const has = (right: RightName): boolean => {
    if (right === 'management') return caller.isManagement
    if (right === 'namespace:*') return caller.maySee(params['name'] ?? '')
    const pool = poolAccessOf(right)
    if (pool !== undefined) return caller.mayUsePool(params['name'] ?? '', pool)
    if (isUnlabelled(right)) return mayUse(caller, right)
    const capabilities = capabilitiesOf(right)
    if (capabilities === undefined) throw new Error(`${right} is for operations to demand`)
    return capabilities.every((capability) =>
      coversAnyNamespace === true && namespace === '*'
        ? caller.mayInAnyNamespace(capability)
        : caller.may(namespace, capability),
    )
  }
  if (!anyOf.some(has)) throw refuse('permission-denied')
}

/**
 * Returns the kind of access that a right grants to the node pool in the path; undefined for rights
 * to other objects.
 */
function poolAccessOf(right: RightName): PoolAccess | undefined {
  return (['read', 'write', 'delete'] as const).find((access) => right === `node_pool:${access}`)
}

/** Policy blocks without a label: `node`, unlike `namespace`, does not name an object. */
const unlabelledKinds: ReadonlySet<string> = new Set(['agent', 'node', 'operator', 'plugin'])

function isUnlabelled(right: RightName): right is UnlabelledRightName {
  return unlabelledKinds.has(right.slice(0, right.indexOf(':')))
}

function mayUse(caller: SchedulerCaller, right: UnlabelledRightName): boolean {
  const [kind, access] = right.split(':') as [UnlabelledKey, UnlabelledAccess]
  return caller.mayUse(kind, access)
}

function capabilitiesOf(right: RightName): readonly Capability[] | undefined {
  const [kind, names = '*'] = right.split(':')
  return kind === 'namespace' && names !== '*' ? (names.split('+') as Capability[]) : undefined
}

/**
 * Returns whether the caller has the declared access in a namespace that the operation itself
 * determines.
 */
export function hasAccessIn(
  { caller, access }: Pick<RequestScope, 'caller' | 'access'>,
  namespace: string,
) {
  if (access === 'anyone') return true
  return access.anyOf.some((right) =>
    capabilitiesOf(right)?.every((capability) => caller.may(namespace, capability)),
  )
}

/**
 * Throws a refusal if the caller lacks a capability in a namespace. The operation must declare the
 * capability.
 */
export function requireCapability(
  context: RequestScope,
  namespace: string,
  capability: Capability,
): void {
  if (!hasCapability(context, namespace, capability)) throw refuse('permission-denied')
}

/**
 * Returns whether the caller has a capability in a namespace. The operation must declare the
 * capability.
 */
export function hasCapability(
  { caller, access }: Pick<RequestScope, 'caller' | 'access'>,
  namespace: string,
  capability: Capability,
): boolean {
  assertDeclared(access, `namespace:${capability}`)
  return caller.may(namespace, capability)
}

/**
 * Throws a refusal if the caller has no management token. The operation must declare this right
 * (behaviour/scheduler#namespaces).
 */
export function requireManagement({ caller, access }: RequestScope): void {
  assertDeclared(access, 'management')
  if (!caller.isManagement) throw refuse('permission-denied')
}

/**
 * Throws a refusal if the caller may not write a node pool. The operation must declare this right.
 */
export function requirePoolWrite({ caller, access }: RequestScope, name: string): void {
  assertDeclared(access, 'node_pool:write')
  if (!caller.mayUsePool(name, 'write')) throw refuse('permission-denied')
}

/**
 * Throws a refusal unless the caller may read both nodes and the node pool `name`. The operation
 * must declare this right.
 */
export function requirePoolNodesRead({ caller, access }: RequestScope, name: string): void {
  assertDeclared(access, 'node:read+node_pool:read')
  const isAllowed = caller.mayUse('node', 'read') && caller.mayUsePool(name, 'read')
  if (!isAllowed) throw refuse('permission-denied')
}

/**
 * Throws a refusal if the caller lacks a right to nodes, agents, operators or plugins. The
 * operation must declare the right.
 */
export function requireUnlabelledRight(
  { caller, access }: RequestScope,
  right: UnlabelledRightName,
): void {
  assertDeclared(access, right)
  if (!mayUse(caller, right)) throw refuse('permission-denied')
}
