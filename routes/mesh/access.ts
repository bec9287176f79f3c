import type { World } from '../../state/kernel/world.ts'
import type { Need as Asked } from '../../state/mesh/acl/authorization.ts'
import { demand as demandOf, type MeshCaller } from '../../state/mesh/acl/callers.ts'
import { optionsOf } from '../../state/mesh/options.ts'
import {
  assertDeclared,
  type OperationAccess as DeclaredAccess,
  type RequiredRight as DeclaredRight,
  rightCheckedAt,
} from '../http/access.ts'
import type { Query } from '../http/query.ts'

/** A right by its name (behaviour/mesh#checks): `key:write`. */
export type Need = `${Asked['resource']}:${Asked['access']}`

/** The thing that a right is about: its name, where it is, and whether all that begins so is meant. */
export type About = Omit<Asked, 'resource' | 'access'>

/** What a caller must have. */
export interface Right extends DeclaredRight<Need> {
  /** Finds what a request is about; without it nothing with a name. */
  readonly about?: (asking: Asking) => About
  /** Tells of a read whether it is a list, which is cut to what the caller may see instead. */
  readonly isList?: (asking: Asking) => boolean
}

/** Who may ask for an operation. */
export type Access = DeclaredAccess<Right>

/** Who asks for what: the part of a context that rights are about. */
export interface Asking {
  readonly world: World
  readonly access: Access
  readonly caller: MeshCaller
  readonly query: Query
  /** The namespace that the request asks for. */
  readonly namespace: string | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Needs a right; with several of them, those that a part of the request is about. */
export function needs(...anyOf: readonly [Need, ...Need[]]): Right {
  return { anyOf, when: 'before' }
}

/** The same right to what a request turns out to be about. */
export function about(find: (asking: Asking) => About, right: Right): Right {
  return { ...right, about: find }
}

/** The same right to what a parameter of the path names. */
export function named(parameter: string, right: Right): Right {
  return about(({ params: { [parameter]: name = '' } }) => ({ name }), right)
}

/** The same right to the only node. */
export function ofNode(right: Right): Right {
  return about(({ world }) => ({ name: optionsOf(world).nodeName }), right)
}

/** The same right, by which lists are cut. */
export function orCut(isList: (asking: Asking) => boolean, right: Right): Right {
  return { ...right, isList }
}

/** The same right, and another that some requests need as well. */
export function besides(need: Need, right: Right): Right {
  return { ...right, also: need }
}

/** Refuses a caller who lacks what an operation needs, where that is looked at at this moment. */
export function admit(context: Asking, when: 'first' | 'before'): void {
  const right = rightCheckedAt(context.access, when)
  if (right === undefined || right.isList?.(context) === true) return
  const { caller } = context
  if (caller.mayAll) return
  const place = right.about?.(context)
  for (const need of right.anyOf) demandOf(caller, askedOf(need, place))
}

/** Refuses a caller without a right, which the operation declares. */
export function demand(context: Asking, need: Need, place?: About): void {
  assertDeclared(context.access, need)
  demandOf(context.caller, askedOf(need, place))
}

/** Tells of one thing after the other whether the caller has a right to it, which the operation declares. */
export function holder({ access, caller }: Asking, need: Need): (place: About) => boolean {
  assertDeclared(access, need)
  if (caller.mayAll) return () => true
  const asked = askedOf(need)
  return (place) => caller.may({ ...place, ...asked })
}

function askedOf(need: Need, place: About = {}): Asked {
  const [resource, access] = need.split(':') as [Asked['resource'], Asked['access']]
  return { ...place, resource, access }
}
