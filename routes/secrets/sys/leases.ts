import { quoteGo } from '../../../state/go/text.ts'
import { any, bool, int, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { RevokeMode } from '../../../state/secrets/leases/leases.ts'
import {
  findLease,
  leasesUnder,
  renewLease,
  revokeLease,
  revokeLeasesUnder,
} from '../../../state/secrets/leases/leases.ts'
import { secondsUntil } from '../../../state/secrets/tokens/lifetime.ts'
import { envelopeLease } from '../envelope/lease.ts'
import {
  acceptedOutcome,
  dataOutcome,
  emptyOutcome,
  keysOutcome,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { enveloped, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { flag, requiredText, seconds, textField } from '../fields/field-kinds.ts'
import { message, refuse } from '../messages.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#leases' })

const nodeSpec = 'behaviour/secrets#operations-of-the-node'

const leaseIdField = described(text, 'Id of the lease, unless it is in the path')

const increment = described(seconds, 'New duration from now; the last granted duration if left out')

const syncField = described(
  bool,
  'Whether to wait for the revocation, which always ends before the reply',
)

const irrevocableFields = {
  type: requiredText('Must be irrevocable; other leases are not listed'),
  include_child_namespaces: flag('Whether leases of child namespaces are included'),
  limit: textField('Maximum number of leases in the reply, or none'),
}

const lookupReply = enveloped({
  expire_time: text,
  id: text,
  issue_time: text,
  last_renewal: nullable(text),
  renewable: bool,
  ttl: described(int, 'Remaining seconds'),
})

/**
 * Returns the id of a lease from the body. If the body contains none, returns the id in the path.
 * Throws `lease-id-missing` if both are missing.
 */
function idOf(fields: { readonly lease_id?: string }, inPath = ''): string {
  const id = fields.lease_id || inPath
  if (id === '') throw refuse('lease-id-missing')
  return id
}

function lookup({ world, namespace }: Call, id: string): SecretsOutcome {
  const lease = findLease(world, namespace, id)
  if (lease === undefined) throw refuse('lease-unknown')
  return dataOutcome({
    expire_time: formatTimestamp(lease.expire_time),
    id: lease.id,
    issue_time: formatTimestamp(lease.issue_time),
    last_renewal: lease.last_renewal === null ? null : formatTimestamp(lease.last_renewal),
    renewable: lease.renewable,
    ttl: secondsUntil(lease.expire_time, world.clock.now()),
  })
}

function listLeases({ world, namespace }: Call, prefix: string): SecretsOutcome {
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
  return keysOutcome(leasesUnder(world, namespace, folder))
}

function renew({ world, namespace }: Call, id: string, seconds = 0): SecretsOutcome {
  const { lease, warnings } = renewLease(world, namespace, id, seconds)
  return {
    kind: 'envelope',
    lease: envelopeLease(lease),
    warnings,
  }
}

interface SyncFields {
  readonly sync?: boolean
}

/**
 * Returns the reply to a revocation. If `sync` is false, the reference replies before it revokes
 * (behaviour/secrets#vendor-switches).
 */
const revokedOutcome = ({ sync = true }: SyncFields): SecretsOutcome =>
  sync ? emptyOutcome : acceptedOutcome

function revoke({ world, namespace, fields }: Call<object, SyncFields>, id: string) {
  revokeLease(world, namespace, id)
  return revokedOutcome(fields)
}

function revokeUnder(call: Call<{ readonly prefix: string }>, mode: RevokeMode): void {
  revokeLeasesUnder(call.world, call.namespace, call.params.prefix, mode)
}

/**
 * Path prefixes of the operations that renew and revoke leases, each with the suffix of the
 * operation ids. Old paths lack `leases/`.
 */
const pathForms = [
  ['leases/', ''],
  ['', 'OldForm'],
] as const

const changingOperations = pathForms.flatMap(([parent, idSuffix]): SecretsOperation[] => [
  operation.write(`renewLease${idSuffix}`, `${parent}renew`, {
    summary: 'Renew a lease.',
    body: { lease_id: leaseIdField, increment },
    reply: { 200: warningEnvelope },
    run: (call) => renew(call, idOf(call.fields), call.fields.increment),
  }),
  operation.write(`renewNamedLease${idSuffix}`, `${parent}renew/*url_lease_id`, {
    summary: 'Renew the lease named in the path.',
    body: { lease_id: leaseIdField, increment },
    reply: { 200: warningEnvelope },
    run: (call) => renew(call, idOf(call.fields, call.params.url_lease_id), call.fields.increment),
  }),
  operation.write(`revokeLease${idSuffix}`, `${parent}revoke`, {
    summary: 'Revoke a lease.',
    body: { lease_id: leaseIdField, sync: syncField },
    reply: { 202: null, 204: null },
    run: (call) => revoke(call, idOf(call.fields)),
  }),
  operation.write(`revokeNamedLease${idSuffix}`, `${parent}revoke/*url_lease_id`, {
    summary: 'Revoke the lease named in the path.',
    body: { lease_id: leaseIdField, sync: syncField },
    reply: { 202: null, 204: null },
    run: (call) => revoke(call, idOf(call.fields, call.params.url_lease_id)),
  }),
  operation.write(`revokeLeasesBelow${idSuffix}`, `${parent}revoke-prefix/*prefix`, {
    summary: 'Revoke every lease at or below a prefix.',
    access: 'sudo',
    body: { sync: syncField },
    reply: { 202: null, 204: null },
    run: (call) => {
      revokeUnder(call, 'refuse')
      return revokedOutcome(call.fields)
    },
  }),
  operation.write(`forceRevokeLeasesBelow${idSuffix}`, `${parent}revoke-force/*prefix`, {
    summary: 'Revoke every lease at or below a prefix, even if the engine fails.',
    access: 'sudo',
    apply: (call) => revokeUnder(call, 'force'),
  }),
])

/** Operations on leases, which limit the lifetime of generated secrets and of tokens. */
export const leaseOperations: readonly SecretsOperation[] = [
  operation.write('lookUpLease', 'leases/lookup', {
    summary: 'Look up a lease.',
    body: { lease_id: leaseIdField },
    reply: lookupReply,
    run: (call) => lookup(call, idOf(call.fields)),
  }),
  operation.list('listLeases', 'leases/lookup', {
    summary: 'List the first parts of all lease ids.',
    access: 'sudo',
    reply: { 200: keysEnvelope },
    run: (call) => listLeases(call, ''),
  }),
  operation.list('listLeasesBelow', 'leases/lookup/*prefix', {
    summary: 'List the lease ids below a prefix.',
    access: 'sudo',
    reply: { 200: keysEnvelope },
    run: (call) => listLeases(call, call.params.prefix),
  }),
  operation.read('readIrrevocableLeases', 'leases', {
    spec: nodeSpec,
    summary: 'List the leases that could not be revoked: none.',
    access: 'sudo',
    query: irrevocableFields,
    failures: [500],
    reply: enveloped({ lease_count: int, leases: list(any, { maxItems: 0 }) }),
    run({ fields }) {
      checkIrrevocable(fields)
      checkLimit(fields)
      return dataOutcome({ lease_count: 0, leases: [] })
    },
  }),
  operation.read('countIrrevocableLeases', 'leases/count', {
    spec: nodeSpec,
    summary: 'Count the leases that could not be revoked: none.',
    query: irrevocableFields,
    reply: enveloped({ counts: map(int), lease_count: int }),
    run({ fields }) {
      checkIrrevocable(fields)
      return dataOutcome({ counts: {}, lease_count: 0 })
    },
  }),
  operation.write('tidyLeases', 'leases/tidy', {
    spec: nodeSpec,
    summary: 'Start the removal of expired leases; there are none to remove.',
    reply: { 202: warningEnvelope },
    run: () => ({ kind: 'envelope', status: 202, warnings: [message('tidy-started')] }),
  }),
  ...changingOperations,
]

/** Refuses a query for leases of a type other than `irrevocable`. */
function checkIrrevocable({ type }: { readonly type: string }): void {
  if (type.toLowerCase() !== 'irrevocable') throw refuse('nothing-here')
}

/** Refuses a limit that is neither empty, nor `none`, nor a positive whole number. */
function checkLimit({ limit }: { readonly limit: string }): void {
  if (limit === '' || limit.toLowerCase() === 'none') return
  if (!/^[+-]?\d+$/.test(limit)) {
    const why = `strconv.Atoi: parsing ${quoteGo(limit)}: invalid syntax`
    throw refuse('lease-limit-invalid', { why })
  }
  if (Number(limit) < 1) throw refuse('lease-limit-too-small')
}
