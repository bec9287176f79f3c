import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Mount, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import {
  canonicalNamespace,
  type Namespace,
  resolveNamespace,
  rootNamespace,
} from '../../../state/secrets/namespaces/namespaces.ts'
import { decodePath } from '../../http/decode-path.ts'
import type { ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { apiHeader } from '../dialect/dialect.ts'

/** The namespace, path and mount that a request addresses. */
export interface RequestTarget {
  /** The namespace from the header, with a trailing slash; empty without the header. */
  readonly headerNamespace: string
  readonly namespace: Namespace
  /** Decoded path relative to the namespace. */
  readonly path: string
  readonly mount: Mount | undefined
}

/** Returns the target of a request. An unknown namespace counts as the root namespace. */
export function targetOf(
  request: Pick<ExplainedRequest, 'world' | 'path' | 'headers'>,
): RequestTarget {
  const { world, headers } = request
  const fullPath = decodePath(request.path).replace(/^\/v1\/?/, '')
  const header = apiHeader(headers, 'namespace') ?? ''
  const { namespace, path } = resolveOrRoot(world, header, fullPath)
  const mount = mountOf(world, namespace, path) ?? mountOf(world, namespace, `${path}/`)
  return { headerNamespace: canonicalNamespace(header), namespace, path, mount }
}

function resolveOrRoot(world: World, header: string, path: string) {
  try {
    return resolveNamespace(world, header, path)
  } catch (error) {
    if (error instanceof Refusal) return { namespace: rootNamespace, path }
    throw error
  }
}

export function mountPathsIn(world: World, namespace: Namespace): string[] {
  return mountsIn(world, namespace).map(({ path }) => path)
}

/**
 * Returns the URL path that addresses `path` in a namespace when the request is sent again with the
 * same namespace header.
 */
export function pathTo(namespace: Namespace, headerNamespace: string, path: string): string {
  // The URL does not repeat the namespace that the header contains.
  return `/v1/${namespace.path.slice(headerNamespace.length)}${path}`
}
