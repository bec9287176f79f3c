import type { Message } from '../../../state/kernel/message.ts'
import { bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import {
  changeIssuer,
  deleteIssuer,
  revokeIssuer,
  setDefaultIssuer,
} from '../../../state/secrets/pki/issuer-changes.ts'
import { chainOf, hasNoAddresses, requireIssuer } from '../../../state/secrets/pki/issuers.ts'
import { message } from '../../../state/secrets/pki/messages.ts'
import {
  issuersOf,
  issuerUsages,
  type PkiIssuer,
  parsedCertificate,
  pkiDefaults,
} from '../../../state/secrets/pki/tables.ts'
import { dataOutcome, keysOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, keyInfoEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { requiredText, texts } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import { addressFields, issuerReply } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-issuers' })

/** Returns the reply with an issuer's data and with the given warnings. */
function issuerView(
  world: World,
  mount: Mount,
  { issuer, warnings = [] }: { issuer: PkiIssuer; warnings?: readonly Message[] },
): SecretsOutcome {
  const { revoked_at, revocation_signature_algorithm: algorithm } = issuer
  const crlWarnings = algorithm.endsWith('PSS') ? [message('pki-pss-crl')] : []
  const time = revoked_at !== null && {
    revocation_time: Math.floor(revoked_at / 1000),
    revocation_time_rfc3339: formatTimestamp(revoked_at),
  }
  const view = {
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
    revocation_signature_algorithm: algorithm,
    revoked: revoked_at !== null,
    usage: [...issuer.usage].sort().join(','),
    ...time,
    ...(!hasNoAddresses(issuer) && {
      enable_aia_url_templating: issuer.enable_aia_url_templating,
    }),
  }
  return { kind: 'envelope', data: view, warnings: [...crlWarnings, ...warnings] }
}

const issuerFields = {
  issuer_name: described(text, 'Name of the issuer'),
  leaf_not_after_behavior: described(text, '`err`, `truncate` or `permit`'),
  usage: described(list(text), 'Purposes for which the issuer may be used'),
  manual_chain: texts('Chain that replaces the computed chain; `self` stands for the issuer'),
  revocation_signature_algorithm: described(
    text,
    'Signature algorithm of CRLs; empty means the default',
  ),
  ...addressFields,
  enable_aia_url_templating: described(bool, 'Whether the addresses contain placeholders'),
} as const

const { issuer_name, leaf_not_after_behavior, ...others } = issuerFields
const { manual_chain, issuing_certificates, crl_distribution_points, ocsp_servers } = others

/** Fields of a POST. A missing field resets its setting to the default. */
const replacedFields = {
  issuer_name: withDefault(issuer_name, ''),
  leaf_not_after_behavior: withDefault(leaf_not_after_behavior, 'err'),
  usage: withDefault(others.usage, [...issuerUsages]),
  manual_chain: withDefault(manual_chain, []),
  revocation_signature_algorithm: withDefault(others.revocation_signature_algorithm, ''),
  issuing_certificates: withDefault(issuing_certificates, []),
  crl_distribution_points: withDefault(crl_distribution_points, []),
  ocsp_servers: withDefault(ocsp_servers, []),
  enable_aia_url_templating: withDefault(others.enable_aia_url_templating, false),
} as const

const defaultsReply = enveloped({ default: text, default_follows_latest_issuer: bool })

function defaultsView(world: World, mount: Mount) {
  const { issuer, follows_latest } = pkiDefaults(world, mount)
  return { default: issuer, default_follows_latest_issuer: follows_latest }
}

/**
 * Sets the default issuer and returns the resulting settings for the reply. Throws a refusal for an
 * unknown issuer.
 */
function chooseDefault(
  world: World,
  mount: Mount,
  ref: string,
  follows: boolean | undefined,
): SecretsOutcome {
  const warnings = setDefaultIssuer(world, mount, ref, follows)
  return { kind: 'envelope', data: defaultsView(world, mount), warnings }
}

export const issuerOperations = [
  operation.list('pkiListIssuers', 'issuers', {
    summary: 'List the issuers.',
    access: 'anyone',
    reply: { 200: keyInfoEnvelope },
    run({ world, mount }) {
      const all = issuersOf(world, mount)
      const defaultId = pkiDefaults(world, mount).issuer
      const key_info = all.map((issuer) => {
        const { id, name: issuer_name, key_id } = issuer
        const serial_number = parsedCertificate(issuer).serial
        return [id, { is_default: id === defaultId, issuer_name, key_id, serial_number }]
      })
      return keysOutcome(
        all.map(({ id }) => id),
        { key_info: Object.fromEntries(key_info) },
      )
    },
  }),
  operation.read('pkiReadIssuer', 'issuer/:issuer_ref', {
    summary: 'Read an issuer.',
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params }) =>
      issuerView(world, mount, { issuer: requireIssuer(world, mount, params.issuer_ref) }),
  }),
  operation.write('pkiWriteIssuer', 'issuer/:issuer_ref', {
    summary: 'Replace the settings of an issuer.',
    body: replacedFields,
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params, fields }) =>
      issuerView(world, mount, changeIssuer(world, mount, params.issuer_ref, fields)),
  }),
  operation.patch('pkiPatchIssuer', 'issuer/:issuer_ref', {
    summary: 'Change the given settings of an issuer.',
    body: issuerFields,
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params, fields }) =>
      issuerView(world, mount, changeIssuer(world, mount, params.issuer_ref, fields)),
  }),
  operation.delete('pkiDeleteIssuer', 'issuer/:issuer_ref', {
    summary: 'Delete an issuer; its key and its certificates stay.',
    reply: { 200: warningEnvelope },
    run: ({ world, mount, params }) => ({
      kind: 'envelope',
      warnings: deleteIssuer(world, mount, params.issuer_ref),
    }),
  }),
  operation.write('pkiRevokeIssuer', 'issuer/:issuer_ref/revoke', {
    summary: 'Revoke an issuer, which then issues no more certificates.',
    failures: [500],
    reply: issuerReply,
    run: ({ world, mount, params }) =>
      issuerView(world, mount, revokeIssuer(world, mount, params.issuer_ref)),
  }),
  operation.read('pkiReadDefaultIssuer', 'config/issuers', {
    summary: 'Read which issuer is the default.',
    reply: defaultsReply,
    run: ({ world, mount }) => dataOutcome(defaultsView(world, mount)),
  }),
  operation.write('pkiWriteDefaultIssuer', 'config/issuers', {
    summary: 'Choose the default issuer.',
    body: {
      default: requiredText('Id or name of the issuer'),
      default_follows_latest_issuer: described(bool, 'Whether each new issuer becomes the default'),
    },
    reply: defaultsReply,
    run: ({ world, mount, fields }) =>
      chooseDefault(world, mount, fields.default, fields.default_follows_latest_issuer),
  }),
  operation.write('pkiReplaceRoot', 'root/replace', {
    summary: 'Choose the default issuer, as `config/issuers` does; default: `next`.',
    body: { default: withDefault(described(text, 'Id or name of the issuer'), 'next') },
    reply: defaultsReply,
    run: ({ world, mount, fields }) => chooseDefault(world, mount, fields.default, undefined),
  }),
]
