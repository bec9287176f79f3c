import {
  findNamespaceById,
  hasNamespaces,
  type Namespace,
  namespaceIdOf,
  rootNamespace,
} from '../../../state/secrets/namespaces/namespaces.ts'
import { findToken } from '../../../state/secrets/tokens/rows.ts'
import type { SecretsRequest } from './secrets-request.ts'

const selfPaths: ReadonlySet<string> = new Set([
  'auth/token/lookup-self',
  'auth/token/renew-self',
  'auth/token/revoke-self',
])

const tokenPaths: ReadonlySet<string> = new Set([
  'auth/token/lookup',
  'auth/token/renew',
  'auth/token/revoke',
  'auth/token/revoke-orphan',
])

const leasePath = /^sys\/leases\/(?:lookup$|(?:renew|revoke)(?:$|\/))/

/**
 * Returns the namespace of the token or lease that a request concerns, if the request is handled
 * there instead of in the namespace of its header and path (behaviour/secrets#namespace-header).
 * Policies then apply to the path in that namespace.
 *
 * @param path relative to the namespace of header and path
 */
export function subjectNamespace(request: SecretsRequest, path: string): Namespace | undefined {
  const { world, clientToken, input } = request
  if (!hasNamespaces(world)) return undefined
  if (path.startsWith('auth/token/')) {
    if (selfPaths.has(path)) return namespaceOfCaller(request)
    if (!tokenPaths.has(path)) return undefined
    const token = input['token']
    if (token === undefined) {
      return path === 'auth/token/lookup' && clientToken !== ''
        ? namespaceOfCaller(request)
        : undefined
    }
    return typeof token === 'string'
      ? findNamespaceById(world, namespaceIdOf(token.replace(/^(?:hv)?[bs]\./, '')))
      : undefined
  }
  if (!leasePath.test(path)) return undefined
  const inPath = path.replace(/^sys\/leases\/[a-z]+\/?/, '')
  const lease = input['lease_id'] ?? inPath
  if (typeof lease !== 'string') return undefined
  return findNamespaceById(world, namespaceIdOf(lease.slice(lease.lastIndexOf('/') + 1)))
}

function namespaceOfCaller({ world, clientToken }: SecretsRequest): Namespace | undefined {
  const token = findToken(world, clientToken)
  if (token === undefined) return undefined
  return token.namespace === rootNamespace.id
    ? rootNamespace
    : findNamespaceById(world, token.namespace)
}
