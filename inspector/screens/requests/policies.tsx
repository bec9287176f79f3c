import type { Entry } from '../../../routes/journal/entry.ts'
import { useRead } from '../../context.ts'
import { DecidingLines } from '../../parts/deciding-lines.tsx'
import { decodeSegment, namespaceOf } from '../../pure/command-line.ts'

/**
 * Renders the lines of the caller's policies that decided about a request to the secrets API.
 * Renders nothing for other APIs and for callers without policies.
 */
export function Policies({ entry }: { readonly entry: Entry }) {
  const { caller, id, service, path, method, query, headers } = entry
  const policies = service === 'secrets' ? (caller?.policies ?? []) : []
  const { data: state } = useRead(
    policies.length === 0 ? undefined : `secrets as of ${id}`,
    (world) => world.state('secrets', id),
  )
  if (state === undefined) return null
  const requestedPath = decodeSegment(path).replace(/^\/v1\//, '')
  const isList = method === 'LIST' || query['list'] === 'true'
  return (
    <section aria-label="Policies">
      <h3>Policy lines that decide</h3>
      <DecidingLines
        state={state}
        policies={policies}
        path={isList && !requestedPath.endsWith('/') ? `${requestedPath}/` : requestedPath}
        namespace={withTrailingSlash(namespaceOf(headers) ?? '')}
      />
    </section>
  )
}

/**
 * Returns a namespace path with a trailing slash and without a leading one; empty for the root
 * namespace.
 */
function withTrailingSlash(namespace: string): string {
  const name = namespace.replaceAll(/^\/+|\/+$/g, '')
  return name === '' ? '' : `${name}/`
}
