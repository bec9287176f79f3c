import type { SchedulerCaller } from '../../state/scheduler/acl/callers.ts'
import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { refuse } from '../../state/scheduler/texts.ts'

/**
 * A right by its name (3b-scheduler-decisions.md section 1, Auth): a capability in a namespace (`*`: any
 * of them), what `node` and `node_pool` blocks grant, a management token, or being who holds the policy
 * or token that is asked about.
 */
export type Need =
  | `namespace:${Capability | '*'}`
  | 'node:read'
  | 'node_pool:read'
  | 'management'
  | 'holder'

/**
 * What a caller must have, any of which suffices. It is looked at
 *
 * - `before` anything is done, after parameters and body were read; of reads each time anew;
 * - `first`, before the body;
 * - `within` the operation, where the body or what the path names says what it is about: `demand`,
 *   or state/ where what there is not is said before;
 * - for `each` entry of what is answered: nothing is refused, and the rest is left out.
 */
export interface Right {
  readonly anyOf: readonly Need[]
  readonly when: 'first' | 'before' | 'within' | 'each'
  /** Asked with `namespace=*` it is enough to have it in some namespace. */
  readonly ofLists?: true
  /** Demanded besides of requests that ask for more. */
  readonly besides?: Need
}

/** Who may ask for an operation. */
export type Access = 'anyone' | Right

/** Who asks for what: the part of a context that rights are about. */
interface Asking {
  readonly access: Access
  readonly caller: SchedulerCaller
  /** That of the request. */
  readonly namespace: string
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

/** The same right, looked at before the body. */
export function first(right: Right): Right {
  return { ...right, when: 'first' }
}

/** The same right, demanded where it is known what it is about. */
export function within(right: Right): Right {
  return { ...right, when: 'within' }
}

/** The same right, by which what is answered is cut. */
export function forEach(right: Right): Right {
  return { ...right, when: 'each' }
}

/** Registering needs more where policies are to be overridden. */
export const registering: Right = {
  ...within(can('submit-job')),
  besides: 'namespace:policy-override',
}

/** Says who may ask, for documents. */
export function accessText(access: Access): string {
  if (access === 'anyone') return access
  const { anyOf, when, besides } = access
  const rights = `${anyOf.join(' or ')}${besides === undefined ? '' : `, besides ${besides}`}`
  return when === 'each' ? `anyone; entries by ${rights}` : rights
}

/** Refuses a caller who lacks what an operation needs, where that is looked at at this moment. */
export function admit(context: Asking, when: 'first' | 'before'): void {
  const { access } = context
  if (access === 'anyone' || access.when !== when) return
  // Who calls is found out now and not before.
  const { caller, namespace } = context
  const { anyOf, ofLists } = access
  const has = (need: Need): boolean => {
    if (need === 'management') return caller.isManagement
    if (need === 'node:read') return caller.mayUse('node', 'read')
    const capability = capabilityOf(need)
    if (capability === undefined) throw new Error(`${need} is for operations to demand`)
    if (ofLists === true && namespace === '*') return caller.mayAny(capability)
    return caller.may(namespace, capability)
  }
  if (!anyOf.some(has)) throw refuse('permission-denied')
}

function capabilityOf(need: Need): Capability | undefined {
  const [kind, name] = need.split(':')
  return kind === 'namespace' && name !== '*' ? (name as Capability) : undefined
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
  checkDeclared(access, `namespace:${capability}`)
  return caller.may(namespace, capability)
}

/** Refuses a caller that is not management, which the operation declares (section 10: writes of namespaces). */
export function demandManagement({ caller, access }: Asking): void {
  checkDeclared(access, 'management')
  if (!caller.isManagement) throw refuse('permission-denied')
}

/** Refuses a caller who may not read nodes, which the operation declares. */
export function demandNodes({ caller, access }: Asking): void {
  checkDeclared(access, 'node:read')
  if (!caller.mayUse('node', 'read')) throw refuse('permission-denied')
}

/** What is demanded is what documents say. */
function checkDeclared(access: Access, need: Need): void {
  if (access !== 'anyone' && [...access.anyOf, access.besides].includes(need)) return
  throw new Error(`${need} is demanded but not declared`)
}
