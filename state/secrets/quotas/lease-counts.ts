import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { leases } from '../leases/leases.ts'
import { findNamespaceById, rootNamespace } from '../namespaces/namespaces.ts'
import { isLeased, tokens } from '../tokens/rows.ts'
import { refuse } from './messages.ts'
import { type LeaseCountQuota, leaseCountQuotas, type QuotaSubject, quotaFor } from './quotas.ts'

/**
 * Checks that a request may create another lease (behaviour/secrets#quotas).
 * @throws Refusal (429) if the most specific quota for the request is exhausted
 */
export function checkLeaseCount(world: World, subject: QuotaSubject): void {
  const table = world.table(leaseCountQuotas)
  if (table.size === 0) return
  const quota = quotaFor(table.rows(), subject)
  if (quota === undefined || leaseCount(world, quota) < quota.max_leases) return
  const path = quoteGo(subject.namespace.path + subject.path)
  throw refuse('lease-count-exceeded', { path }).withDetails({ quota })
}

/**
 * Counts the leases of tokens and secrets in the scope of a quota. A quota with a role counts only
 * tokens of logins with the role.
 */
export function leaseCount(world: World, quota: LeaseCountQuota): number {
  const { namespace, mount, suffix, role } = quota
  const prefix = mount + suffix.replace(/\*$/, '')
  const isCounted = (namespacePath: string, path: string) =>
    (mount === '' && namespace === '') || (namespacePath === namespace && path.startsWith(prefix))
  let count = 0
  for (const token of world.table(tokens).rows()) {
    if (token.type !== 'service' || !isLeased(token)) continue
    const meta = token.meta ?? {}
    const isOfRole = role === '' || (meta['role'] ?? meta['role_name']) === role
    if (isOfRole && isCounted(token.namespace_path, token.path)) count += 1
  }
  if (role !== '') return count
  for (const lease of world.table(leases).rows()) {
    if (isCounted(pathOfNamespace(world, lease.namespace), lease.path)) count += 1
  }
  return count
}

function pathOfNamespace(world: World, id: string): string {
  if (id === rootNamespace.id) return ''
  return findNamespaceById(world, id)?.path ?? ''
}
