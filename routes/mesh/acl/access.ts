import { Refusal } from '../../../state/kernel/refusal.ts'
import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import type { MeshCaller } from '../../../state/mesh/acl/callers.ts'
import { absenceMessage } from '../../../state/mesh/acl/links.ts'
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
  requires,
  rightChecker,
  withExtraRight,
  withTarget,
} from '../access.ts'
import { refusePartition } from '../context.ts'
import { type MeshContext, operationsOf, type Reading } from '../operation.ts'

/** Value of `?ns=` that stands for all namespaces. */
const everyNamespace = '*'

/** Throws a refusal (401) while ACLs are disabled (behaviour/mesh#acl-switches). */
export function requireAclsEnabled({ world }: Pick<MeshContext, 'world'>): void {
  if (!optionsOf(world).aclEnabled) throw refuse('acl-disabled')
}

/**
 * Returns functions, one for each HTTP method, that declare operations. The declared operations are
 * refused while ACLs are disabled.
 */
export function aclOperationsOf(spec: string) {
  return operationsOf({ spec, precheck: requireAclsEnabled })
}

export type AclOperation = ReturnType<typeof aclOperationsOf>

export const operation = aclOperationsOf('behaviour/mesh#acl-endpoints')

/** Result of a successful authorization. */
interface AuthorizedWrite {
  readonly caller: MeshCaller
  /** Name of the namespace in its original spelling. */
  readonly namespace: string
}

/** Members of a request body that name the namespace and the partition of the object. */
export interface BodyScope {
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

/**
 * Authorizes a write. The namespace comes from the query, the header, the body or the caller's
 * token, in this order. Throws a refusal if the body names another partition, if the namespace does
 * not exist or is marked for deletion, or if the caller lacks `acl:write` in the namespace.
 */
export function authorizeWrite(context: MeshContext, body: BodyScope = {}): AuthorizedWrite {
  const { caller, world } = context
  refusePartition(body.Partition)
  const requestedNamespace = context.namespace ?? (body.Namespace || caller.namespace)
  const { name: namespace } = requireWritableNamespace(world, requestedNamespace)
  requireRight(context, 'acl:write', { namespace })
  return { caller, namespace }
}

/**
 * Authorizes the deletion of an auth method or a binding rule, as `authorizeWrite` does. If the
 * token of the request is unknown, the refusal says that the object does not exist, as in the
 * reference.
 */
export function authorizeLoginDeletion(context: MeshContext, noun: string): AuthorizedWrite {
  try {
    return authorizeWrite(context)
  } catch (error) {
    if (!(error instanceof Refusal) || error.rule !== 'token-unknown') throw error
    throw refuse('nothing-to-delete', { noun })
  }
}

/**
 * Access that requires `acl:write`. The operation itself checks the right, because the body may
 * name the namespace.
 */
export const writeAccess = insideOperation(requires('acl:write'))

/**
 * Returns the namespace of the request or, if the request names none, the namespace of the token.
 * Throws a refusal if the namespace does not exist.
 */
export function namespaceOfRead({ world, namespace, caller }: RequestScope): string {
  return requireNamespaceForData(world, namespace ?? caller.namespace).name
}

/** Access that requires `acl:read` in the namespace of the request. */
export const readAccess = withTarget(
  (scope) => ({ namespace: namespaceOfRead(scope) }),
  requires('acl:read'),
)

/**
 * Access that requires `acl:read` for lists in one namespace. Lists of all namespaces are filtered
 * instead.
 */
export const listAccess = filteringLists(
  ({ namespace }) => namespace === everyNamespace,
  readAccess,
)

/**
 * Returns a copy of a right that also declares `acl:write`, the right to see secrets in replies.
 */
export const withSecretsRight = (right: MeshRight) => withExtraRight('acl:write', right)

/**
 * Returns a function that decides whether the caller may see the secrets of the tokens in a given
 * namespace.
 */
export function secretVisibility(context: MeshContext): (namespace: string) => boolean {
  const canWriteAcls = rightChecker(context, 'acl:write')
  return (namespace) => canWriteAcls({ namespace })
}

/**
 * Answers a read of ACL objects. The read can block.
 *
 * @param kind name under which the index of the reply is stored
 */
export function readAcl<Status extends number = 200>(
  context: MeshContext,
  kind: string,
  read: () => Omit<Reading<Status>, 'index'>,
): Answer<Status | 200> | Deferred<Answer<Status | 200>> {
  const { world } = context
  return context.read<Status>(
    () => {
      // ACLs may have been disabled during the wait.
      requireAclsEnabled(context)
      // The read does not observe the index of the whole kind. Otherwise, a wait for one object, or
      // for the objects with a link to a policy or role, would end at every write to other objects.
      return { index: world.unobserved(() => indexOf(world, kind)), ...read() }
    },
    { hasReadHeadersOnRefusal: true },
  )
}

/**
 * Answers a list request with the ACL objects of a namespace or, for `ns=*`, of all namespaces in
 * which the caller has `acl:read`.
 *
 * @param serializerFor returns the serializer of rows; called for every attempt, because callers
 *   may lose rights during a wait
 */
export function listAcl<Row>(
  context: MeshContext,
  kind: string,
  rowsInNamespace: (namespace: string) => readonly Row[],
  serializerFor: () => (row: Row, namespace: string) => string,
): Answer<200> | Deferred<Answer<200>> {
  return readAcl(context, kind, () => {
    const json = serializerFor()
    if (context.namespace !== everyNamespace) {
      const namespace = namespaceOfRead(context)
      return { body: jsonList(rowsInNamespace(namespace).map((row) => json(row, namespace))) }
    }
    const isReadable = rightChecker(context, 'acl:read')
    let isFiltered = false
    const visibleRows = allNamespaces(context.world).flatMap(({ name: namespace }) => {
      const rows = rowsInNamespace(namespace)
      if (isReadable({ namespace })) {
        return rows.map((row) => json(row, namespace))
      }
      isFiltered ||= rows.length > 0
      return []
    })
    return { body: jsonList(visibleRows), isFiltered }
  })
}

export const deletionAnswer = ok(true)

/**
 * Returns the reply to a read that finds nothing. As in the reference, the status is 404, but the
 * text is that of a refusal with 403.
 */
export function notFoundReply(
  { dialect, world }: MeshContext,
  noun: string,
  namespace: string,
): { readonly status: 404; readonly body: string; readonly omitsReadHeaders: true } {
  const problem = absenceMessage(world, namespace)
  return {
    status: 404,
    omitsReadHeaders: true,
    body: dialect.renderMessage(message('object-absent', { noun, problem })),
  }
}
