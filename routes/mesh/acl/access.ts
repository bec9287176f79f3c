import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import type { MeshCaller } from '../../../state/mesh/acl/callers.ts'
import { message, refuse } from '../../../state/mesh/acl/messages.ts'
import { indexOf } from '../../../state/mesh/indexes.ts'
import {
  allNamespaces,
  requireNamespaceForData,
  requireWritableNamespace,
} from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { type Answer, ok } from '../../http/declare/operation.ts'
import { jsonList } from '../../http/json-text.ts'
import {
  filteringLists,
  type MeshRight,
  type RequestScope,
  requireRight,
  requiresAnyOf,
  rightChecker,
  withExtraRight,
  withTarget,
} from '../access.ts'
import { refusePartition } from '../context.ts'
import type { MeshContext, Reading } from '../operation.ts'

/** Stands for every namespace in `?ns=`. */
const everyNamespace = '*'

/** Where the operations are specified. */
export const spec = 'behaviour/mesh#acl-endpoints'

/** 401 while ACLs are off, before anything else (behaviour/mesh#acl-switches). */
export function checkEnabled({ world }: Pick<MeshContext, 'world'>): void {
  if (!optionsOf(world).aclEnabled) throw refuse('acl-disabled')
}

/** A caller with the namespace of the request. */
export interface AuthorizedWrite {
  readonly caller: MeshCaller
  /** As the namespace is spelled. */
  readonly namespace: string
}

/** The part of a body that says where things are. */
export interface BodyScope {
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

/**
 * Admits a write to a namespace: that of the query, the header, the body or the caller's token, in
 * this order. It has to exist, unmarked, and the caller needs `acl:write` there.
 */
export function authorizeWrite(context: MeshContext, body: BodyScope = {}): AuthorizedWrite {
  const { caller, world } = context
  refusePartition(body.Partition)
  const requestedNamespace = context.namespace ?? (body.Namespace || caller.namespace)
  const { name: namespace } = requireWritableNamespace(world, requestedNamespace)
  requireRight(context, 'acl:write', { namespace })
  return { caller, namespace }
}

/** Needs `acl:write` in the namespace, which the body may name. */
export const writeAccess = insideOperation(requiresAnyOf('acl:write'))

/** The namespace that a read is of; it has to exist. */
export function namespaceOfRead({ world, namespace, caller }: RequestScope): string {
  return requireNamespaceForData(world, namespace ?? caller.namespace).name
}

/** Needs `acl:read` in the namespace. */
export const readAccess = withTarget((scope) => {
  checkEnabled(scope)
  return { namespace: namespaceOfRead(scope) }
}, requiresAnyOf('acl:read'))

/** The same for lists; those of all namespaces are cut to where the caller has it. */
export const listAccess = filteringLists(
  ({ namespace }) => namespace === everyNamespace,
  readAccess,
)

/** The right to see secrets, besides reading. */
export const alsoForSecrets = (right: MeshRight) => withExtraRight('acl:write', right)

/** Tells of namespaces whether the caller may see the secrets of their tokens. */
export function secretVisibility(context: MeshContext): (namespace: string) => boolean {
  const canWriteAcls = rightChecker(context, 'acl:write')
  return (namespace) => canWriteAcls({ namespace })
}

/**
 * Answers a read of ACL objects; it can block.
 *
 * @param kind the kind of data whose index is told
 */
export function readAcl<Status extends number = 200>(
  context: MeshContext,
  kind: string,
  read: () => Omit<Reading<Status>, 'index'>,
): Answer<Status | 200> | Deferred<Answer<Status | 200>> {
  checkEnabled(context)
  const { world } = context
  return context.read<Status>(
    () => {
      checkEnabled(context)
      // Who waits for one object, or for those with a link, does not wake for others.
      return { index: world.unobserved(() => indexOf(world, kind)), ...read() }
    },
    { hasReadHeadersOnRefusal: true },
  )
}

/**
 * Answers a list of ACL objects of a namespace, or with `ns=*` of all namespaces where the caller has
 * `acl:read`.
 *
 * @param serializerFor makes what writes a row as JSON, for each look anew: callers may lose rights
 */
export function listAcl<Row>(
  context: MeshContext,
  kind: string,
  rowsIn: (namespace: string) => readonly Row[],
  serializerFor: () => (row: Row, namespace: string) => string,
): Answer<200> | Deferred<Answer<200>> {
  return readAcl(context, kind, () => {
    const json = serializerFor()
    if (context.namespace !== everyNamespace) {
      const namespace = namespaceOfRead(context)
      return { body: jsonList(rowsIn(namespace).map((row) => json(row, namespace))) }
    }
    const isReadable = rightChecker(context, 'acl:read')
    let filtered = false
    const visible = allNamespaces(context.world).flatMap(({ name: namespace }) => {
      const rows = rowsIn(namespace)
      if (isReadable({ namespace })) {
        return rows.map((row) => json(row, namespace))
      }
      filtered ||= rows.length > 0
      return []
    })
    return { body: jsonList(visible), filtered }
  })
}

/** The answer to a deletion. */
export const deletedAnswer = ok(true)

/** A read that finds nothing: 404 although it looks like a 403. */
export function notFound(
  { dialect }: MeshContext,
  noun: 'policy' | 'role',
  namespace: string,
): { readonly status: 404; readonly body: string; readonly omitsReadHeaders: true } {
  return {
    status: 404,
    omitsReadHeaders: true,
    body: dialect.renderMessage(message('object-absent', { noun, namespace })),
  }
}
