import { any, bool, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import {
  changeIssuer,
  deleteIssuer,
  setDefaultIssuer,
} from '../../../state/secrets/pki/issuer-changes.ts'
import { chainOf, requireIssuer } from '../../../state/secrets/pki/issuers.ts'
import { message } from '../../../state/secrets/pki/messages.ts'
import {
  issuersOf,
  type PkiIssuer,
  parsedOf,
  pkiDefaults,
} from '../../../state/secrets/pki/tables.ts'
import { data, keys, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { requiredText } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import { issuerReply } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-issuers' })

/** Returns the data of an issuer. */
function issuerView(world: World, mount: Mount, issuer: PkiIssuer): SecretsOutcome {
  const { revoked_at } = issuer
  const time = revoked_at !== null && {
    revocation_time: Math.floor(revoked_at / 1000),
    revocation_time_rfc3339: formatTimestamp(revoked_at),
  }
  return data({
    ca_chain: chainOf(world, mount, issuer).map((pem) => `${pem}\n`),
    certificate: `${issuer.certificate}\n`,
    crl_distribution_points: issuer.crl_distribution_points,
    issuer_id: issuer.id,
    issuer_name: issuer.name,
    issuing_certificates: issuer.issuing_certificates,
    key_id: issuer.key_id,
    leaf_not_after_behavior: issuer.leaf_not_after_behavior,
    manual_chain: issuer.manual_chain,
    ocsp_servers: issuer.ocsp_servers,
    revocation_signature_algorithm: issuer.revocation_signature_algorithm,
    revoked: revoked_at !== null,
    usage: [...issuer.usage].sort().join(','),
    ...time,
  })
}

const issuerFields = {
  issuer_name: described(text, 'Name of the issuer'),
  leaf_not_after_behavior: described(text, '`err`, `truncate` or `permit`'),
  usage: described(list(text), 'What the issuer may be used for'),
} as const

const defaultsReply = enveloped({ default: text, default_follows_latest_issuer: bool })

function defaultsView(world: World, mount: Mount) {
  const { issuer, follows_latest } = pkiDefaults(world, mount)
  return { default: issuer, default_follows_latest_issuer: follows_latest }
}

/** Chooses the default issuer and returns the settings. */
function chooseDefault(
  world: World,
  mount: Mount,
  ref: string,
  follows: boolean | undefined,
): SecretsOutcome {
  const warnings = setDefaultIssuer(world, mount, ref, follows)
  return { kind: 'envelope', data: defaultsView(world, mount), warnings }
}

/** Operations on issuers. */
export const issuerOperations = [
  operation.list('pkiListIssuers', 'issuers', {
    summary: 'Lists the issuers.',
    access: 'anyone',
    reply: { 200: structEnvelope({ keys: list(text), key_info: map(any) }) },
    run({ world, mount }) {
      const all = issuersOf(world, mount)
      const main = pkiDefaults(world, mount).issuer
      const key_info = all.map((issuer) => {
        const { id, name: issuer_name, key_id } = issuer
        const serial_number = parsedOf(issuer).serial
        return [id, { is_default: id === main, issuer_name, key_id, serial_number }]
      })
      return keys(
        all.map(({ id }) => id),
        { key_info: Object.fromEntries(key_info) },
      )
    },
  }),
  operation.read('pkiReadIssuer', 'issuer/:issuer_ref', {
    summary: 'Reads an issuer.',
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params }) =>
      issuerView(world, mount, requireIssuer(world, mount, params.issuer_ref)),
  }),
  operation.write('pkiWriteIssuer', 'issuer/:issuer_ref', {
    summary: 'Replaces the settings of an issuer.',
    body: {
      issuer_name: withDefault(issuerFields.issuer_name, ''),
      leaf_not_after_behavior: withDefault(issuerFields.leaf_not_after_behavior, 'err'),
      usage: withDefault(issuerFields.usage, [
        'read-only',
        'issuing-certificates',
        'crl-signing',
        'ocsp-signing',
      ]),
    },
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params, fields }) =>
      issuerView(world, mount, changeIssuer(world, mount, params.issuer_ref, fields)),
  }),
  operation.patch('pkiPatchIssuer', 'issuer/:issuer_ref', {
    summary: 'Changes the given settings of an issuer.',
    body: issuerFields,
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params, fields }) =>
      issuerView(world, mount, changeIssuer(world, mount, params.issuer_ref, fields)),
  }),
  operation.delete('pkiDeleteIssuer', 'issuer/:issuer_ref', {
    summary: 'Deletes an issuer; its key and its certificates stay.',
    reply: { 200: warningEnvelope },
    run({ world, mount, params: { issuer_ref: ref } }) {
      const { id, wasDefault } = deleteIssuer(world, mount, ref)
      const warnings = wasDefault ? [message('pki-default-issuer-deleted', { id, ref })] : []
      return { kind: 'envelope', warnings }
    },
  }),
  operation.read('pkiReadDefaultIssuer', 'config/issuers', {
    summary: 'Reads which issuer is the default.',
    reply: defaultsReply,
    run: ({ world, mount }) => data(defaultsView(world, mount)),
  }),
  operation.write('pkiWriteDefaultIssuer', 'config/issuers', {
    summary: 'Chooses the default issuer.',
    body: {
      default: requiredText('The issuer: an id or a name'),
      default_follows_latest_issuer: described(bool, 'Each new issuer becomes the default'),
    },
    reply: defaultsReply,
    run: ({ world, mount, fields }) =>
      chooseDefault(world, mount, fields.default, fields.default_follows_latest_issuer),
  }),
  operation.write('pkiReplaceRoot', 'root/replace', {
    summary: 'Chooses the default issuer, as `config/issuers` does; `next` unless it is named.',
    body: { default: withDefault(described(text, 'The issuer: an id or a name'), 'next') },
    reply: defaultsReply,
    run: ({ world, mount, fields }) => chooseDefault(world, mount, fields.default, undefined),
  }),
]
