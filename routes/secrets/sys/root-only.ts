import { rootNamespace } from '../../../state/secrets/namespaces.ts'
import { invalid } from '../../../state/secrets/refusals.ts'
import type { Call } from '../operation.ts'

/**
 * Refuses operations on the whole cluster inside a namespace (1-secrets-decisions.md section 1,
 * Namespaces).
 */
export function requireRootNamespace({ namespace }: Pick<Call, 'namespace'>): void {
  if (namespace.id !== rootNamespace.id) throw invalid('operation unavailable in namespaces')
}
