import { quoteGo } from '../../../state/go/text.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import type { ServiceName } from '../../../state/mesh/intentions/intentions.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { defaultNamespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { isCommunity } from '../../../state/mesh/options.ts'
import { namespaceOf, rightChecker } from '../access.ts'
import { refusePartition } from '../context.ts'
import type { MeshContext } from '../operation.ts'

/**
 * Source or destination of an intention in a parameter. The namespace is empty if the parameter
 * names none.
 */
export interface NamedEnd extends ServiceName {
  readonly peer: string
}

/**
 * Parses a parameter that names a service: `name`, `ns/name` or `partition/ns/name`, for a source
 * also `peer:peer/name`. Throws a refusal for other forms and for another partition.
 */
export function parseEnd(location: string, input: string, mayBePeer = false): NamedEnd {
  const invalid = (problem: string) =>
    refuse('intention-name-invalid', { location, quoted: quoteGo(input), problem })
  const isPeer = input.startsWith('peer:')
  if (isPeer && !mayBePeer) throw invalid('cannot specify a peer here')
  const parts = input.split('/')
  if (parts.length > 3) throw invalid("input can contain at most two '/'")
  if (isPeer && parts.length === 1) throw invalid('need to specify the service name as well')
  const name = parts.at(-1) ?? ''
  if (isPeer) {
    const namespace = parts.length === 3 ? (parts[1] ?? '') : ''
    return { peer: (parts[0] ?? '').slice('peer:'.length), namespace, name }
  }
  if (parts.length === 3) refusePartition(parts[0])
  return { peer: '', namespace: parts.length === 1 ? '' : (parts.at(-2) ?? ''), name }
}

/**
 * Returns the value of a parameter that must be present exactly once. Throws a refusal otherwise,
 * and for an empty value unless `mayBeEmpty` is true.
 */
export function requireSingleValue(
  { query }: MeshContext,
  name: string,
  mayBeEmpty: boolean,
): string {
  const [value, ...others] = query.all(name)
  if (value === undefined || others.length > 0 || (value === '' && !mayBeEmpty)) {
    throw refuse('intention-parameter-missing', { name })
  }
  return value
}

/**
 * Returns a source or destination with its namespace filled in: by default, the namespace of the
 * request. Throws a refusal in the community edition for namespaces other than `default`.
 */
export function inRequestNamespace(
  context: MeshContext,
  location: string,
  end: NamedEnd,
): NamedEnd {
  const namespace = end.namespace || namespaceOf(context)
  if (isCommunity(context.world) && namespace.toLowerCase() !== defaultNamespace) {
    throw refuse('intention-namespace-unsupported', { location, quoted: quoteGo(namespace) })
  }
  return { ...end, namespace }
}

/**
 * Returns the target for checking whether a caller may read the intentions of a service. For the
 * wildcard `*`, the right to any service is sufficient.
 */
export function readTarget({ namespace, name }: ServiceName) {
  return name === '*' ? { namespace, name, isAny: true } : { namespace, name }
}

/**
 * Throws a refusal (403) if the caller may not write intentions to a service, or if the service has
 * no name. The message does not name the missing right.
 */
export function requireIntentionWrite(
  context: MeshContext,
  { namespace, name }: ServiceName,
): void {
  const mayWrite = rightChecker(context, 'intention:write')
  const target = name === '*' ? { namespace, name: '', isPrefix: true } : { namespace, name }
  if (name !== '' && mayWrite(target)) return
  throw refuseAccess('right-missing-bare')
}
