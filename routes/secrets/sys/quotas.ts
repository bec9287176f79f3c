import { bool, constant, float, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { leaseCount } from '../../../state/secrets/quotas/lease-counts.ts'
import {
  leaseCountQuotas,
  quotaConfig,
  quotaPath,
  rateLimitQuotas,
  writeLeaseCount,
  writeQuotaConfig,
  writeRateLimit,
} from '../../../state/secrets/quotas/quotas.ts'
import { dataOutcome, keysOutcome } from '../envelope/outcome.ts'
import { enveloped, keysEnvelope } from '../envelope/schemas.ts'
import { flag, requiredField, seconds, textField } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#quotas', rootOnly: true })

const scopeFields = {
  path: textField('Path of a namespace, of a mount, or below a mount; empty for all requests'),
  role: textField('Role of a login; only logins with this role count'),
}

/** Operations on quotas: request rate limits and lease count limits. */
export const quotaOperations: readonly SecretsOperation[] = [
  operation.read('readQuotaConfig', 'quotas/config', {
    summary: 'Read the settings of all quotas.',
    reply: enveloped({
      enable_rate_limit_audit_logging: bool,
      enable_rate_limit_response_headers: bool,
      rate_limit_exempt_paths: list(text),
    }),
    run: ({ world }) => dataOutcome(quotaConfig(world)),
  }),
  operation.write('writeQuotaConfig', 'quotas/config', {
    summary: 'Replace the settings of all quotas.',
    body: {
      enable_rate_limit_audit_logging: flag('Stored and returned, but without effect'),
      enable_rate_limit_response_headers: flag(
        'Whether replies have headers with the number of remaining requests',
      ),
      rate_limit_exempt_paths: withDefault(
        described(list(text), 'Paths without a rate limit; a trailing `*` matches any ending'),
        [],
      ),
    },
    apply: ({ world, fields }) => writeQuotaConfig(world, fields),
  }),
  operation.list('listRateLimits', 'quotas/rate-limit', {
    summary: 'List the names of the rate limits.',
    reply: { 200: keysEnvelope },
    run: ({ world }) =>
      keysOutcome(Array.from(world.table(rateLimitQuotas).rows(), ({ name }) => name)),
  }),
  operation.read('readRateLimit', 'quotas/rate-limit/:name', {
    summary: 'Read a rate limit.',
    reply: enveloped({
      block_interval: int,
      interval: int,
      name: text,
      path: text,
      rate: float,
      role: text,
      type: constant('rate-limit'),
    }),
    run({ world, params: { name } }) {
      const quota = world.table(rateLimitQuotas).get(name)
      if (quota === undefined) throw refuse('nothing-here')
      const { block_interval, interval, rate, role } = quota
      const path = quotaPath(quota)
      return dataOutcome({ block_interval, interval, name, path, rate, role, type: 'rate-limit' })
    },
  }),
  operation.write('writeRateLimit', 'quotas/rate-limit/:name', {
    summary: 'Limit how many requests each client address may send.',
    body: {
      ...scopeFields,
      rate: withDefault(
        requiredField(described(float, 'Maximum number of requests in each interval')),
        0,
      ),
      interval: withDefault(described(seconds, 'Length of an interval; 1s by default'), 0),
      block_interval: withDefault(
        described(seconds, 'How long an address that exceeds the rate is blocked'),
        0,
      ),
    },
    apply: ({ world, params: { name }, fields }) => writeRateLimit(world, { ...fields, name }),
  }),
  operation.delete('deleteRateLimit', 'quotas/rate-limit/:name', {
    summary: 'Delete a rate limit.',
    apply: ({ world, params: { name } }) =>
      world.write(() => world.table(rateLimitQuotas).delete(name)),
  }),
  operation.list('listLeaseCounts', 'quotas/lease-count', {
    summary: 'List the names of the lease counts.',
    enterprise: true,
    reply: { 200: keysEnvelope },
    run: ({ world }) =>
      keysOutcome(Array.from(world.table(leaseCountQuotas).rows(), ({ name }) => name)),
  }),
  operation.read('readLeaseCount', 'quotas/lease-count/:name', {
    summary: 'Read a lease count.',
    enterprise: true,
    reply: enveloped({
      counter: described(int, 'Number of existing leases'),
      max_leases: int,
      name: text,
      path: text,
      role: text,
      type: constant('lease-count'),
    }),
    run({ world, params: { name } }) {
      const quota = world.table(leaseCountQuotas).get(name)
      if (quota === undefined) throw refuse('nothing-here')
      const { max_leases, role } = quota
      const counter = leaseCount(world, quota)
      return dataOutcome({
        counter,
        max_leases,
        name,
        path: quotaPath(quota),
        role,
        type: 'lease-count',
      })
    },
  }),
  operation.write('writeLeaseCount', 'quotas/lease-count/:name', {
    summary: 'Limit how many leases of logins and secrets exist at the same time.',
    enterprise: true,
    body: {
      ...scopeFields,
      max_leases: withDefault(requiredField(described(int, 'Maximum number of leases')), 0),
    },
    apply: ({ world, params: { name }, fields }) => writeLeaseCount(world, { ...fields, name }),
  }),
  operation.delete('deleteLeaseCount', 'quotas/lease-count/:name', {
    summary: 'Delete a lease count.',
    enterprise: true,
    apply: ({ world, params: { name } }) =>
      world.write(() => world.table(leaseCountQuotas).delete(name)),
  }),
]
