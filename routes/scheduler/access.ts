import type { SchedulerCaller, VariableAccess } from '../../state/scheduler/acl/callers.ts'
import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { refuse } from '../../state/scheduler/texts.ts'
import {
  assertDeclared,
  type OperationAccess as DeclaredAccess,
  type RequiredRight as DeclaredRight,
  insideOperation,
  rightCheckedAt,
} from '../http/access.ts'

export {
  accessText,
  beforeBody as first,
  insideOperation as within,
  perEntry as forEach,
} from '../http/access.ts'

/**
 * A right by its name (behaviour/scheduler#auth): a capability in a namespace (`*`: any
 * of them, in the one that the path names; `+`: both), what blocks such as `node` and `node_pool` grant, a management token, or being who
 * holds the policy or token that is asked about.
 */
export type Need =
  | `namespace:${Capability | '*'}`
  | 'namespace:list-jobs+read-job'
  | CoarseNeed
  | `node_pool:${PoolAccess}`
  | 'node:read+node_pool:read'
  | `variables:${VariableAccess}`
  | 'management'
  | 'holder'

/** A right that a block without a label grants. */
type CoarseNeed = `${'agent' | 'node' | 'operator'}:${'read' | 'write'}`

type PoolAccess = 'read' | 'write' | 'delete'

/** What a caller must have. */
export interface Right extends DeclaredRight<Need> {
  /** Asked with `namespace=*` it is enough to have it in some namespace. */
  readonly ofLists?: true
}

/** Who may ask for an operation. */
export type Access = DeclaredAccess<Right>

/** Who asks for what: the part of a context that rights are about. */
interface Asking {
  readonly access: Access
  readonly caller: SchedulerCaller
  /** That of the request. */
  readonly namespace: string
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>
}

/** Needs any of these capabilities in the namespace of the request. */
export function can(...capabilities: readonly [Capability, ...Capability[]]): Right {
  return needs(...capabilities.map((each) => `namespace:${each}` as const))
}

/** The same for lists, which may be of all namespaces. */
export function canList(capability: Capability): Right {
  return { ...can(capability), ofLists: true }
}

/** Needs any of these rights. */
export function needs(...anyOf: readonly Need[]): Right {
  return { anyOf, when: 'before' }
}

/** Registering needs more where policies are to be overridden. */
export const registering: Right = {
  ...insideOperation(can('submit-job')),
  also: 'namespace:policy-override',
}

/** Refuses a caller who lacks what an operation needs, where that is looked at at this moment. */
export function admit(context: Asking, when: 'first' | 'before'): void {
  const right = rightCheckedAt(context.access, when)
  if (right === undefined) return
  // Who calls is found out now and not before.
  const { caller, namespace, params } = context
  const { anyOf, ofLists } = right
  const has = (need: Need): boolean => {
    if (need === 'management') return caller.isManagement
    if (need === 'namespace:*') return caller.maySee(params['name'] ?? '')
    const pool = poolAccessOf(need)
    if (pool !== undefined) return caller.mayUsePool(params['name'] ?? '', pool)
    if (isCoarse(need)) return mayUse(caller, need)
    const capabilities = capabilitiesOf(need)
    if (capabilities === undefined) throw new Error(`${need} is for operations to demand`)
    return capabilities.every((capability) =>
      ofLists === true && namespace === '*'
        ? caller.mayAny(capability)
        : caller.may(namespace, capability),
    )
  }
  if (!anyOf.some(has)) throw refuse('permission-denied')
}

/** What is done with a node pool that the path names. */
function poolAccessOf(need: Need): PoolAccess | undefined {
  return (['read', 'write', 'delete'] as const).find((access) => need === `node_pool:${access}`)
}

/** What the blocks without a label are about. */
const coarse: ReadonlySet<string> = new Set(['agent', 'node', 'operator'])

function isCoarse(need: Need): need is CoarseNeed {
  return coarse.has(need.slice(0, need.indexOf(':')))
}

function mayUse(caller: SchedulerCaller, need: CoarseNeed): boolean {
  const [what, access] = need.split(':') as ['agent' | 'node' | 'operator', 'read' | 'write']
  return caller.mayUse(what, access)
}

function capabilitiesOf(need: Need): readonly Capability[] | undefined {
  const [kind, names = '*'] = need.split(':')
  return kind === 'namespace' && names !== '*' ? (names.split('+') as Capability[]) : undefined
}

/** Tells whether a caller has what an operation declares in a namespace that it finds out by itself. */
export function holdsIn({ caller, access }: Pick<Asking, 'caller' | 'access'>, namespace: string) {
  if (access === 'anyone') return true
  return access.anyOf.some((need) =>
    capabilitiesOf(need)?.every((capability) => caller.may(namespace, capability)),
  )
}

/** Refuses a caller without a capability in a namespace, which the operation declares. */
export function demand(context: Asking, namespace: string, capability: Capability): void {
  if (!holds(context, namespace, capability)) throw refuse('permission-denied')
}

/** Tells whether a caller has a capability in a namespace, which the operation declares. */
export function holds(
  { caller, access }: Pick<Asking, 'caller' | 'access'>,
  namespace: string,
  capability: Capability,
): boolean {
  assertDeclared(access, `namespace:${capability}`)
  return caller.may(namespace, capability)
}

/** Refuses a caller that is not management, which the operation declares (behaviour/scheduler#beyond: writes of namespaces). */
export function demandManagement({ caller, access }: Asking): void {
  assertDeclared(access, 'management')
  if (!caller.isManagement) throw refuse('permission-denied')
}

/** Refuses a caller who may not write a node pool, which the operation declares. */
export function demandPoolWrite({ caller, access }: Asking, name: string): void {
  assertDeclared(access, 'node_pool:write')
  if (!caller.mayUsePool(name, 'write')) throw refuse('permission-denied')
}

/** Refuses a caller who may not read nodes and the pool that they are in, which the operation declares. */
export function demandNodesOfPool({ caller, access }: Asking, name: string): void {
  assertDeclared(access, 'node:read+node_pool:read')
  const may = caller.mayUse('node', 'read') && caller.mayUsePool(name, 'read')
  if (!may) throw refuse('permission-denied')
}

/** Refuses a caller who may not read or write nodes, agents or the like, which the operation declares. */
export function demandUse({ caller, access }: Asking, need: CoarseNeed): void {
  assertDeclared(access, need)
  if (!mayUse(caller, need)) throw refuse('permission-denied')
}
