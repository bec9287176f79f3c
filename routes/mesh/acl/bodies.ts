import { DurationError, parseGoDuration } from '../../../state/go/duration.ts'
import { parseTimestamp } from '../../../state/kernel/time.ts'
import type { AclLink } from '../../../state/mesh/acl/links.ts'
import { refuse } from '../../../state/mesh/texts.ts'
import { anything, type Decoder, type Fields, flag, list, struct, text } from '../decode.ts'

/** Shapes of the bodies that `/v1/acl` takes (3a-mesh-decisions.md section 5, Endpoints). */

/** What every object of the reference has; what it tells itself is accepted and ignored. */
const place = {
  Namespace: text,
  Partition: text,
  Hash: anything,
  CreateIndex: anything,
  ModifyIndex: anything,
} as const

/** Identities of services and nodes grant nothing here. */
const identities = {
  ServiceIdentities: anything,
  NodeIdentities: anything,
  TemplatedPolicies: anything,
} as const

const linkFields = { ID: text, Name: text } as const

/** A link to a policy or role. */
const link = struct('ACLLink', linkFields)
const links = list(link, { ID: undefined, Name: undefined })

/** Links as state takes them. */
export function linksOf(
  sent: readonly Fields<typeof linkFields>[] | undefined,
): readonly AclLink[] | undefined {
  return sent?.map(({ ID: id, Name: name }) => ({ id, name }))
}

/** A policy. */
export const policyBody = struct('ACLPolicy', {
  ID: text,
  Name: text,
  Description: text,
  Rules: text,
  Datacenters: list(text, ''),
  ...place,
})

/** A role. */
export const roleBody = struct('ACLRole', {
  ID: text,
  Name: text,
  Description: text,
  Policies: links,
  ...identities,
  ...place,
})

/** A duration as Go writes it, or nanoseconds; gives nanoseconds. */
const duration: Decoder<number> = {
  type: 'time.Duration',
  take(value) {
    if (typeof value === 'number') return value
    if (typeof value !== 'string') throw new DurationError('invalid duration')
    return value === '' ? 0 : parseGoDuration(value)
  },
}

/** An RFC 3339 timestamp; gives milliseconds since 1970. */
const timestamp: Decoder<number> = {
  type: 'time.Time',
  take(value) {
    const instant = typeof value === 'string' ? parseTimestamp(value) : undefined
    if (instant !== undefined) return instant
    throw refuse('bad-time', { sent: JSON.stringify(value), layout: '"2006-01-02T15:04:05Z07:00"' })
  },
}

/** A token. */
export const tokenBody = struct('ACLToken', {
  AccessorID: text,
  SecretID: text,
  Description: text,
  Policies: links,
  Roles: links,
  Local: flag,
  ExpirationTime: timestamp,
  ExpirationTTL: duration,
  CreateTime: anything,
  ...identities,
  ...place,
})

/** What the bootstrap takes. */
export const bootstrapBody = struct('BootstrapRequest', { BootstrapSecret: text })
