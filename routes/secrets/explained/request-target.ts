import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Mount, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import {
  canonicalNamespace,
  type Namespace,
  resolveNamespace,
  rootNamespace,
} from '../../../state/secrets/namespaces/namespaces.ts'
import type { ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { decodePath } from '../../http/text-api.ts'
import { apiHeader } from '../dialect/dialect.ts'

/** Where a request went. */
export interface RequestTarget {
  /** As the header names it, with a closing slash; empty without one. */
  readonly headerNamespace: string
  readonly namespace: Namespace
  /** From the namespace, decoded. */
  readonly path: string
  readonly mount: Mount | undefined
}

/** Finds where a request went, as far as it can be known. */
export function targetOf(
  query: Pick<ExplainedRequest, 'world' | 'path' | 'headers'>,
): RequestTarget {
  const { world, headers } = query
  const fullPath = decodePath(query.path).replace(/^\/v1\/?/, '')
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

/** The paths at which engines and methods are mounted in a namespace, but the system's own. */
export function mountPathsIn(world: World, namespace: Namespace): string[] {
  return mountsIn(world, namespace).map(({ path }) => path)
}

/** Below the prefix of the API. */
export function pathTo(namespace: Namespace, headerNamespace: string, path: string): string {
  // What the header names is not said again.
  return `/v1/${namespace.path.slice(headerNamespace.length)}${path}`
}
